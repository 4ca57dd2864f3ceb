import { isIPv6 } from 'node:net';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  formatVerifierKey,
  isLogOrigin,
  NOTE_KEY_TYPES,
  parsePolicy,
  parseVerifierKey,
  POLICY_LIMITS,
  sha256,
  toHex,
  utf8,
  type VerifierKey,
} from '@sentinel-node/contracts';
import { misuseOf, parseOptions } from '../arguments.ts';
import { lockState } from '../io/state-lock.ts';
import { writeWhole } from '../io/sealed.ts';
import { AgentConfigError } from '../config-error.ts';
import { readUpTo } from '../verify/read-input.ts';
import { listen } from './server.ts';
import { WitnessFile } from './witness-file.ts';
import { OFFERS_PER_MINUTE, Witness } from './witness.ts';

const HELP = `usage: sentinel witness --state DIR [--name NAME] (--log VKEY)... [--policy FILE] [--listen HOST:PORT]
       sentinel witness --state DIR [--name NAME] --vkey

Runs a witness of transparency logs (C2SP tlog-witness): takes each checkpoint that a log offers, checks the log's signature
and that everything it has cosigned before is still in the log, and cosigns it. Whoever trusts this witness knows by its
cosignature that there is one log. It prints the line that the operators of the logs put into their policy.

  --state DIR       key and what was seen, in one file (witness.json); made by the first run. Keep it: without it, or with an
                    old copy of it, the witness could sign a second log. If it is lost, begin with a new key
  --name NAME       name of the key for ever, as a URL without its scheme: witness.example.com/one. The first run needs it
  --log VKEY        a log to witness: its operator prints it with sentinel trust --vkey. Up to ${POLICY_LIMITS.logs}
  --policy FILE     takes the logs of a policy file (C2SP tlog-policy)
  --listen H:P      address to listen on (default: 127.0.0.1:8787); what others reach it by, and TLS, are a proxy's
  --vkey            prints the key for others, and ends
  --help            this text

POST /add-checkpoint takes offers, and cosigns at most ${OFFERS_PER_MINUTE} larger checkpoints a minute of one log; other offers do not count.
GET /HASH/checkpoint, by the SHA-256 of the log's origin, gives the newest cosigned checkpoint. A second signed checkpoint
of one size with another root is refused and kept in the folder as evidence-….note.

Exit codes:
  0  ended by SIGTERM or SIGINT
  1  a file or the address cannot be used
  2  wrong usage
  3  another witness uses the folder
`;

const misused = misuseOf('sentinel witness', HELP);
const DEFAULT_LISTEN = '127.0.0.1:8787';
/** Addresses that stand for all of the machine's, under which nobody else reaches it. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
/** Most evidence files of all logs together. */
const EVIDENCE_FILES = 100;
const OPTIONS = {
  state: { type: 'string' },
  name: { type: 'string' },
  log: { type: 'string', multiple: true },
  policy: { type: 'string' },
  listen: { type: 'string' },
  vkey: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `sentinel witness` until a signal ends it. @returns the exit code @throws StateInUseError, AgentConfigError */
export async function runWitness(args: readonly string[]): Promise<number> {
  const { values } = parseOptions({ args: [...args], options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const { state, name, vkey } = values;
  const address = addressOf(values.listen ?? DEFAULT_LISTEN);
  const wrong = misuse(values, address);
  if (state === undefined || address === undefined || wrong !== undefined) return misused(String(wrong));
  const logs = await logsOf(values.log ?? [], values.policy);
  await mkdir(state, { recursive: true, mode: 0o700 });
  const unlock = lockState(state, 'witness');
  try {
    const file = await WitnessFile.open(join(state, 'witness.json'), name);
    const key = formatVerifierKey(file.key);
    if (vkey === true) {
      process.stdout.write(`${key}\n`);
      return 0;
    }
    if (logs.length === 0)
      throw new AgentConfigError('no log to witness: give --log, or --policy with log lines');
    return await serve(file, key, logs, state, address);
  } finally {
    unlock();
  }
}

async function serve(
  file: WitnessFile,
  vkey: string,
  logs: readonly VerifierKey[],
  state: string,
  address: { readonly host: string; readonly port: number },
): Promise<number> {
  const writeLine = (line: string): void => void process.stderr.write(`sentinel witness: ${line}\n`);
  const keepEvidence = (origin: string, note: string) => evidence(state, origin, note);
  const witness = new Witness({ file, logs, now: () => Date.now(), writeLine, keepEvidence });
  const origins = logs.map(({ name }) => name);
  const ended = signalled();
  const server = await listen(witness, address, origins, (error) => writeLine(String(error)));
  const isAny = ANY_ADDRESS.has(address.host);
  const host = isAny ? 'HOST' : isIPv6(address.host) ? `[${address.host}]` : address.host;
  process.stdout.write(
    `witness ${file.key.name} ${vkey} http://${host}:${server.port}\n` +
      (isAny ? 'HOST is the address under which others reach this machine\n' : '') +
      `listens for ${origins.join(', ')}\n`,
  );
  await ended;
  await server.close();
  return 0;
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

function misuse(values: { state?: string; name?: string }, address: object | undefined): string | undefined {
  if (values.state === undefined) return '--state is missing';
  if (values.name !== undefined && !isLogOrigin(values.name))
    return '--name takes a name without blanks or plus signs';
  return address === undefined ? '--listen takes HOST:PORT' : undefined;
}

function addressOf(listen: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', port = ''] = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(listen) ?? [];
  return host === '' || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

/** Reads the keys of the logs to witness. @throws AgentConfigError */
async function logsOf(vkeys: readonly string[], policy: string | undefined): Promise<VerifierKey[]> {
  const given = vkeys.map((vkey) => {
    const key = parseVerifierKey(vkey);
    if (key?.type !== NOTE_KEY_TYPES.ED25519)
      throw new AgentConfigError(`--log ${vkey} is not the vkey of a log (Ed25519, type 1)`);
    return key;
  });
  const logs = [...given, ...(policy === undefined ? [] : await logsOfPolicy(policy))];
  if (new Set(logs.map(({ name }) => name)).size < logs.length)
    throw new AgentConfigError('two of the logs have one name');
  if (logs.length > POLICY_LIMITS.logs) throw new AgentConfigError(`more than ${POLICY_LIMITS.logs} logs`);
  return logs;
}

async function logsOfPolicy(path: string): Promise<VerifierKey[]> {
  const bytes = await readUpTo(path, POLICY_LIMITS.bytes + 1);
  const read = parsePolicy(Buffer.from(bytes).toString('utf8'));
  if ('policy' in read) return read.policy.logs.map(({ key }) => key);
  throw new AgentConfigError(`${path}${read.line === 0 ? '' : `:${read.line}`} ${read.problem}`);
}

/** Writes one file per contradicting checkpoint, `EVIDENCE_FILES` at most. */
async function evidence(folder: string, origin: string, note: string): Promise<void> {
  const there = (await readdir(folder)).filter((name) => name.startsWith('evidence-'));
  const hash = toHex(sha256(utf8(`${origin}\n${note}`))).slice(0, 16);
  const name = `evidence-${hash}.note`;
  if (there.length < EVIDENCE_FILES && !there.includes(name)) await writeWhole(join(folder, name), note);
}
