import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from './agent.ts';
import { AgentConfigError, newestConfiguration, readConfiguration } from './config.ts';
import { StateInUseError } from './io/state-lock.ts';
import { runVerify } from './verify/command.ts';
import { agentVersion } from './version.ts';

/** A command that another package brings along, such as `audit`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

const AGENT_HELP = `usage: sentinel agent --config FILE [--state DIR]

Watches the files that the configuration names and reports their versions.

  --config FILE   the configuration that the console's device page downloads
  --state DIR     where reports wait until they are accepted
                  (default: $XDG_STATE_HOME/sentinel-agent or ~/.local/state/sentinel-agent, a folder a device)
  --help          this text

It runs until SIGINT or SIGTERM. What could not be sent yet stays in the state folder and is sent at the next start.
`;

/** Exit code of an agent whose state folder another one uses. */
const STATE_IN_USE = 3;
/** SIGTERM waits this long for looks and calls under way, in ms. */
const STOP_MS = 5_000;

async function runAgent(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { config: { type: 'string' }, state: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(AGENT_HELP);
    return 0;
  }
  if (values.config === undefined) {
    process.stderr.write(`sentinel agent: --config is missing\n\n${AGENT_HELP}`);
    return 2;
  }
  const { devId } = await readConfiguration(values.config);
  const base = process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state');
  const stateDir = values.state ?? join(base, 'sentinel-agent', devId);
  const configuration = await newestConfiguration(values.config, stateDir);
  const file = values.config;
  const downloaded = () => readConfiguration(file);
  const agent = new Agent({ configuration, stateDir, log: logLine, downloaded });
  await agent.start();
  logLine('info', `watching ${configuration.files.length} files for ${configuration.sentinelAddress}`);
  await stopSignal();
  logLine('info', 'stopping');
  await Promise.race([agent.stop(), new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
  return 0;
}

function logLine(level: 'info' | 'warn' | 'error', message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${message}\n`);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Room for the longest name and a blank, in characters. */
const NAME_WIDTH = 14;

const agentCommand: Command = {
  name: 'agent',
  summary: 'watches the files of this device and reports their versions',
  run: runAgent,
};

const verifyCommand: Command = {
  name: 'verify',
  summary: 'checks a proof offline',
  run: runVerify,
};

/** Runs `sentinel …`. @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 state folder in use; `verify` has more */
export async function cli(args: readonly string[], more: readonly Command[] = []): Promise<number> {
  const commands = [agentCommand, verifyCommand, ...more];
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
    const { code, message } = error as NodeJS.ErrnoException;
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
