import { parseArgs } from 'node:util';
import {
  fromHex,
  MAX_CHECKPOINT_LENGTH,
  verifyCheckpoint,
  type ProofTrust,
  type SignedCheckpoint,
} from '@sentinel-node/contracts';
import { writeWhole } from '../io/sealed.ts';
import { openNetwork } from '../net/network.ts';
import { verifyEd25519 } from '../verify/ed25519.ts';
import { readTrust, VerifyInputError } from '../verify/inputs.ts';
import { readUpTo } from '../verify/read-input.ts';
import { compare, type Outcome } from './look.ts';
import { LogUnreadableError, PublishedLog } from './published-log.ts';

const HELP = `usage: sentinel monitor --once --trust FILE --url ADDRESS --state FILE [--ca FILE]

Looks at the published log once: takes the newest checkpoint, checks its signature, and shows by the tiles of the log that
everything the kept checkpoint had is still in it. Then the newest checkpoint is kept in the place of the older one. Let a
timer repeat it, on a machine that is not the operator's: whoever keeps a checkpoint notices a log that was rewritten.

  --once           looks once and ends
  --trust FILE     the trust file of the log, from its operator: sentinel trust
  --url ADDRESS    where the log is published, as https://sentinel.example.com
  --state FILE     keeps the last checkpoint; made by the first look. verify --checkpoint takes it
  --ca FILE        authorities (PEM) that are trusted beside the machine's
  --help           this text

Exit codes:
  0  GOES ON: signed, and the log has all that the kept checkpoint had; at the first look: its tiles lead to its root
  1  the log could not be read, or a file: nothing is known, nothing has changed
  2  wrong usage
  3  NOT SIGNED: the checkpoint is not of the log and key of the trust file; nothing has changed
  4  CONTRADICTION: signed by the key, but not shown to go on from the kept checkpoint. That stays; the new one is written to
     the state file's name with .contradiction at the end. Keep both: two signed checkpoints of one size with different roots
     are evidence against the operator, by themselves
  5  BEHIND: the log shows less than the kept checkpoint had (an old copy, a restore, or another log); that stays
`;

type Result = Outcome | 'NOT_SIGNED';
const EXIT_CODES: Readonly<Record<Result, number>> = {
  GOES_ON: 0,
  NOT_SIGNED: 3,
  CONTRADICTION: 4,
  BEHIND: 5,
};
const UNREADABLE = 1;
const WRONG_USAGE = 2;
const OPTIONS = {
  once: { type: 'boolean' },
  trust: { type: 'string' },
  url: { type: 'string' },
  state: { type: 'string' },
  ca: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Given {
  readonly trust: ProofTrust;
  readonly log: PublishedLog;
  readonly state: string;
  readonly output: Output;
}

/** Where lines are written. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs `sentinel monitor`. @returns the exit code */
export async function runMonitor(args: readonly string[], output: Output = process): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help === true) {
    output.stdout.write(HELP);
    return 0;
  }
  const { once, trust, url, state, ca } = values;
  const prefix = prefixOf(url);
  if (once !== true || trust === undefined || prefix === undefined || state === undefined) {
    output.stderr.write(
      `sentinel monitor: give --once, --trust, --url (http or https) and --state\n\n${HELP}`,
    );
    return WRONG_USAGE;
  }
  try {
    const log = new PublishedLog(prefix, (await openNetwork({ ca })).fetch);
    return await look({ trust: await readTrust(trust), log, state, output });
  } catch (error) {
    if (!(error instanceof VerifyInputError || error instanceof LogUnreadableError)) throw error;
    output.stderr.write(`sentinel monitor: ${error.message}\n`);
    return UNREADABLE;
  }
}

async function look({ trust, log, state, output }: Given): Promise<number> {
  const tell = (result: Result, text: string): number => told(output, result, text);
  const kept = await readKept(state, trust);
  const note = await log.checkpoint();
  const now = await signed(note, trust);
  if (now === undefined)
    return tell('NOT_SIGNED', 'the checkpoint is not of the log and key of the trust file');
  const result = await compare(kept, now, log.hashes);
  if (result === 'GOES_ON') {
    await writeWhole(state, note);
    const since = kept === undefined ? 'the first look' : `${kept.size} before`;
    return tell(result, `${now.origin} has ${now.size} batches (${since})`);
  }
  const sizes = `${now.size} batches, kept are ${kept?.size ?? 'none'}`;
  if (result === 'BEHIND') return tell(result, `the log shows ${sizes}`);
  const evidence = `${state}.contradiction`;
  await writeWhole(evidence, note);
  return tell(result, `the log of ${sizes} is not shown to go on; its checkpoint is in ${evidence}`);
}

function told({ stdout, stderr }: Output, result: Result, text: string): number {
  const stream = result === 'GOES_ON' ? stdout : stderr;
  stream.write(`${result.replace('_', ' ')}: ${text}\n`);
  return EXIT_CODES[result];
}

/** undefined before the first look. @throws VerifyInputError when the file holds anything but a checkpoint of this log */
async function readKept(path: string, trust: ProofTrust): Promise<SignedCheckpoint | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readUpTo(path, 4 * MAX_CHECKPOINT_LENGTH);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const kept = await signed(Buffer.from(bytes).toString('utf8'), trust);
  if (kept === undefined) throw new VerifyInputError(`${path} holds no checkpoint of this log`);
  return kept;
}

const signed = (note: string, { origin, publicKey }: ProofTrust): Promise<SignedCheckpoint | undefined> =>
  verifyCheckpoint(note, origin, fromHex(publicKey), verifyEd25519);

/** undefined when it is no address of a log. */
function prefixOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'http:' || protocol === 'https:'
    ? `${origin}${pathname.replace(/\/+$/, '')}`
    : undefined;
}
