import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { escapeLines } from '../operate/escape-lines.ts';
import { misuseOf, parseOptions } from '../arguments.ts';
import { cannotRead, readConfiguration } from '../config.ts';
import { AgentConfigError } from '../config-error.ts';
import { openNetwork } from '../net/network.ts';
import { defaultStateFolder } from '../operate/sources.ts';
import { enrolAddress, enrolAt } from './call.ts';
import { enrolmentKey, fileExists, keepEnrolled } from './files.ts';

export const ENROL_HELP = `usage: sentinel agent enrol --server URL --token T [--name N] [options]

Makes a device with an enrolment token, writes its configuration (mode 0600), and starts the agent. Where the
configuration is already, it only starts. What failed can be repeated: it makes no second device.

  --server URL      of the console, https://HOST
  --token T         the token that an administrator made
  --token-file FILE a file that has it: others on the machine see the words of a command
  --name N          in the place of the host's name
  --config FILE     where the configuration is written (default: enrolled.json in the state folder)
  --no-start        ends when the configuration is written
  --timeout SECONDS how long a server that does not answer is asked (default 300)
  --help            this text

--state, --ca, --cert, --key, --log, --metrics, --nice, --read-rate and --trust are the agent's.

exit codes: 0 done; 1 it did not succeed; 2 wrong usage; then those of the agent
`;

const wrong = misuseOf('sentinel agent enrol', ENROL_HELP);

const TIMEOUT_S = 300;

const PASSED_ON = ['state', 'ca', 'cert', 'key', 'log', 'metrics', 'nice', 'read-rate', 'trust'] as const;
const text = { type: 'string' } as const;
const OPTIONS = {
  server: text,
  token: text,
  'token-file': text,
  name: text,
  config: text,
  'no-start': { type: 'boolean' },
  timeout: text,
  state: text,
  ca: text,
  cert: text,
  key: text,
  log: text,
  metrics: text,
  nice: text,
  'read-rate': text,
  trust: text,
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Runs `sentinel agent enrol …`.
 * @param start runs the agent with the given arguments
 * @returns the exit code, as ENROL_HELP lists them
 */
export async function runEnrol(
  args: readonly string[],
  start: (args: readonly string[]) => Promise<number>,
): Promise<number> {
  const { values } = parseOptions({ args: [...args], options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(ENROL_HELP);
    return 0;
  }
  const timeout = Number(values.timeout ?? TIMEOUT_S);
  if (!(timeout > 0)) return wrong('--timeout is a number of seconds');
  const file = values.config ?? join(values.state ?? defaultStateFolder(), 'enrolled.json');
  if (!(await fileExists(file))) {
    const { server } = values;
    if (server === undefined) return wrong('--server is missing');
    if ((values.token === undefined) === (values['token-file'] === undefined))
      return wrong('give one of --token and --token-file');
    const token = (values.token ?? (await tokenIn(values['token-file'] ?? ''))).trim();
    if (token === '')
      throw new AgentConfigError('the token is empty: look whether it was written to its file');
    await enrolHere({ ...values, file, server, token, timeoutMs: timeout * 1_000 });
  } else await sayIsThere(file);
  if (values['no-start'] === true) return 0;
  const passed = PASSED_ON.flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, values[name]]));
  return await start(['--config', file, ...passed]);
}

type EnrolHere = Parameters<typeof openNetwork>[0] & {
  readonly file: string;
  readonly server: string;
  readonly token: string;
  readonly name?: string;
  readonly timeoutMs: number;
};

/** Makes the device and writes its configuration. @throws AgentConfigError; Error of node:fs */
async function enrolHere(wish: EnrolHere): Promise<void> {
  const { file, server, token, name = hostname(), timeoutMs } = wish;
  enrolAddress(server);
  const { fetch } = await openNetwork(wish);
  const key = await enrolmentKey(file);
  if (key === undefined) return await sayIsThere(file);
  const until = performance.now() + timeoutMs;
  const made = await enrolAt({ server, request: { token, key, name }, fetch, until, onWait: say });
  await keepEnrolled(file, made.configuration);
  const { devId, files } = made.configuration;
  say(`${made.deviceName} is device ${devId} with ${files.length} files; its configuration is ${file}`);
}

/** Names the server of the configuration, too: the command may name another one. */
async function sayIsThere(file: string): Promise<void> {
  const { devId, sentinelAddress } = await readConfiguration(file);
  say(`${file} is there: this is device ${devId}, which reports to ${sentinelAddress}`);
}

/** @throws AgentConfigError */
async function tokenIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AgentConfigError(`--token-file: ${cannotRead(file, error)}`);
  }
}

function say(line: string): void {
  process.stderr.write(`sentinel agent enrol: ${escapeLines(line)}\n`);
}
