import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigError } from './config.ts';
import { StateInUseError } from './io/state-lock.ts';
import { runAgent } from './operate/agent-command.ts';
import { runMonitor } from './monitor/command.ts';
import { runReceipt } from './receipt/command.ts';
import { runSimulate } from './simulate/command.ts';
import { runVerify } from './verify/command.ts';
import { runWitness } from './witness/command.ts';
import { agentVersion } from './version.ts';

/** A command that another package brings along, such as `audit`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** Exit code of an agent whose state folder another one uses. */
const STATE_IN_USE = 3;
/** Room for the longest name and a blank, in characters. */
const NAME_WIDTH = 14;

const agentCommand: Command = {
  name: 'agent',
  summary: 'watches the files of this device and reports their versions',
  run: runAgent,
};

const simulateCommand: Command = {
  name: 'simulate',
  summary: 'behaves like many agents, to see what a server bears',
  run: runSimulate,
};

const verifyCommand: Command = {
  name: 'verify',
  summary: 'checks a proof offline',
  run: runVerify,
};

const receiptCommand: Command = {
  name: 'receipt',
  summary: 'checks the receipt of a report offline',
  run: runReceipt,
};

const monitorCommand: Command = {
  name: 'monitor',
  summary: 'checks that the published log goes on from the checkpoint it kept',
  run: (args) => runMonitor(args),
};

const witnessCommand: Command = {
  name: 'witness',
  summary: 'cosigns what logs publish, as long as they go on from what it has seen',
  run: runWitness,
};

/** Runs `sentinel …`. @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 state folder in use; `agent`, `monitor`, `receipt` and `verify` have more */
export async function cli(args: readonly string[], more: readonly Command[] = []): Promise<number> {
  const commands = [
    agentCommand,
    verifyCommand,
    receiptCommand,
    monitorCommand,
    witnessCommand,
    simulateCommand,
    ...more,
  ];
  const [name, ...rest] = args;
  if (name === '--version') {
    process.stdout.write(`${await agentVersion()}\n`);
    return 0;
  }
  const help = `usage: sentinel COMMAND [--help]\n\n${commands.map((c) => `  ${c.name.padEnd(NAME_WIDTH)}${c.summary}`).join('\n')}\n`;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const asked = name === '--help' || name === '-h' || name === 'help';
    const stream = asked ? process.stdout : process.stderr;
    stream.write(asked || name === undefined ? help : `sentinel: there is no command "${name}"\n\n${help}`);
    return asked ? 0 : 2;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    const [code, message] = [codeOf(error), messageOf(error)];
    if (error instanceof StateInUseError) {
      process.stderr.write(`sentinel ${command.name}: ${message}\n`);
      return STATE_IN_USE;
    }
    if (error instanceof AgentConfigError || code?.startsWith('E') === true) {
      process.stderr.write(`sentinel ${command.name}: ${message}\n`);
      return code?.startsWith('ERR_PARSE_ARGS') === true ? 2 : 1;
    }
    throw error;
  }
}
