import { codeOf, messageOf, oneLine } from '@sentinel-node/contracts/thrown';
import { internalError, openFrame, type Frame } from './command-frame.ts';
import { AgentConfigError } from './config-error.ts';
import { StateInUseError } from './io/state-in-use-error.ts';
import { Signals } from './operate/signals.ts';
import { agentVersion } from './version.ts';

/** A command that another package adds, such as `audit`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** Exit code when another agent uses the state folder. */
const STATE_IN_USE = 3;
const FAILED = 1;
/** Width of the name column: the longest name and a blank, in characters. */
const NAME_WIDTH = 14;

/** Commands of this package. Each loads its module when called, so that an agent does not load the other commands. */
const COMMANDS: readonly Command[] = [
  {
    name: 'agent',
    summary: 'watches the files of this device and reports their versions',
    run: async (args) => {
      const signals = new Signals();
      return (await import('./operate/agent-command.ts')).runAgent(args, signals);
    },
  },
  {
    name: 'verify',
    summary: 'checks a proof offline',
    run: async (args) => (await import('./verify/command.ts')).runVerify(args),
  },
  {
    name: 'receipt',
    summary: 'checks the receipt of a report offline',
    run: async (args) => (await import('./receipt/command.ts')).runReceipt(args),
  },
  {
    name: 'monitor',
    summary: 'checks that the published log goes on from the checkpoint it kept',
    run: async (args) => (await import('./monitor/command.ts')).runMonitor(args),
  },
  {
    name: 'witness',
    summary: 'cosigns what logs publish, as long as they go on from what it has seen',
    run: async (args) => (await import('./witness/command.ts')).runWitness(args),
  },
  {
    name: 'simulate',
    summary: 'behaves like many agents, to see what a server bears',
    run: async (args) => (await import('./simulate/command.ts')).runSimulate(args),
  },
];

/**
 * Runs `sentinel …`.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 state folder in use; `agent`, `monitor`, `receipt` and
 * `verify` add their own
 */
export async function cli(args: readonly string[], more: readonly Command[] = []): Promise<number> {
  const commands = [...COMMANDS, ...more];
  const [name, ...rest] = args;
  const command = commands.find((one) => one.name === name);
  const frame = openFrame(command === undefined ? 'sentinel' : `sentinel ${command.name}`);
  return frame.ended(await run(command, name, rest, commands, frame));
}

async function run(
  command: Command | undefined,
  name: string | undefined,
  rest: readonly string[],
  commands: readonly Command[],
  frame: Frame,
): Promise<number> {
  if (name === '--version') {
    process.stdout.write(`${await agentVersion()}\n`);
    return 0;
  }
  const help = `usage: sentinel COMMAND [--help]\n\n${commands.map((c) => `  ${c.name.padEnd(NAME_WIDTH)}${c.summary}`).join('\n')}\n`;
  if (command === undefined) {
    const asked = name === '--help' || name === '-h' || name === 'help';
    const stream = asked ? process.stdout : process.stderr;
    stream.write(asked || name === undefined ? help : `sentinel: there is no command "${name}"\n\n${help}`);
    return asked ? 0 : 2;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    // The output could not be written, and the frame has said so.
    if (frame.isCut()) return FAILED;
    const [code, message] = [codeOf(error), messageOf(error)];
    if (error instanceof StateInUseError) {
      process.stderr.write(`sentinel ${command.name}: ${message}\n`);
      return STATE_IN_USE;
    }
    if (error instanceof AgentConfigError || code?.startsWith('E') === true) {
      process.stderr.write(
        `sentinel ${command.name}: ${error instanceof AgentConfigError ? message : oneLine(message)}\n`,
      );
      return code?.startsWith('ERR_PARSE_ARGS') === true ? 2 : 1;
    }
    process.stderr.write(`sentinel ${command.name}: ${internalError(error)}\n`);
    return FAILED;
  }
}
