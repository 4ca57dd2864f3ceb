import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { policyOfTrust, type ProofTrust } from '@sentinel-node/contracts';
import { misuseOf, parseOptions } from '../arguments.ts';
import { StateInUseError } from '../io/state-in-use-error.ts';
import { lockFile } from '../io/state-lock.ts';
import { openNetwork } from '../net/network.ts';
import { readTrust, VerifyInputError } from '../verify/inputs.ts';
import { raise, type Alarm } from './alarm.ts';
import { lookOnce, type Found } from './judge-look.ts';
import { LogUnreadableError, PublishedLog } from './published-log.ts';
import { watch, type NotRead, type WatchResult } from './watch.ts';

const DEFAULT_INTERVAL = '300';
/** Largest interval, in seconds: with its random tenth it stays below 2^31 ms, after which a timer fires at once. */
const MAX_INTERVAL = 22 * 86_400;
/** Default largest age of cosignatures, in seconds: a day. */
const DEFAULT_MAX_AGE = 86_400;

const HELP = `usage: sentinel monitor --trust FILE --url ADDRESS --state FILE [--once] [--interval SECONDS] [--policy FILE]
                        [--max-age SECONDS] [--command CMD] [--webhook URL] [--end] [--ca FILE]

Looks at the published log: takes the newest checkpoint, checks its signature, and shows by the tiles of the log that
everything the kept checkpoint had is still in it, and that the headers of the new batches follow one another and lead to
the signed root. If the trust file has a policy of witnesses, their quorum has to have cosigned. Then the newest checkpoint
is kept in the place of the older one. It looks again and again until SIGTERM. Run it on a machine that is not the
operator's: whoever keeps a checkpoint notices a log that was rewritten.

  --once           looks once and ends
  --interval SECS  from one look to the next, a tenth more or less (default: ${DEFAULT_INTERVAL}, at most ${MAX_INTERVAL}: 22 days); longer
                   while the log cannot be read
  --trust FILE     the trust file of the log, from its operator: sentinel trust
  --policy FILE    witnesses of your own choice and their quorum (C2SP tlog-policy), instead of those of the trust file
  --url ADDRESS    where the log is published, as https://sentinel.example.com
  --state FILE     keeps the last checkpoint, with those cosignatures of the policy's witnesses that hold; made by the first
                   look, with FILE.begun. verify --checkpoint takes it. One look at a time uses it (FILE.lock)
  --max-age SECS   how old the quorum's cosignatures may be (default: ${DEFAULT_MAX_AGE}); without a quorum, the newest batch (default:
                   however old, since nothing may have happened, but not ahead of the clock)
  --command CMD    run by the shell at a problem, with SENTINEL_MONITOR_RESULT, _TEXT, _ORIGIN and _EVIDENCE
  --webhook URL    gets the problem by POST: {"result", "text", "origin", "evidence", "at"}
  --end            ends at the first problem, by its exit code; else it goes on
  --ca FILE        authorities (PEM) that are trusted beside the usual ones
  --help           this text

A problem is told once, and again after it has passed or if it could not be told. What was found is kept beside the state
file, as FILE.evidence-….json: at most 100 files of a result, and of two roots of one size. If nothing was kept, the problem
is told all the same, and says so.

Exit codes:
  0  GOES ON: signed, and the log has all that the kept checkpoint had; at the first look: its tiles lead to its root.
     Without --once: ended by SIGTERM or SIGINT
  1  the log could not be read, or a file: nothing is known, nothing has changed. Without --once: UNREADABLE, three times in a row
  2  wrong usage
  3  NOT SIGNED: the checkpoint is not of the log and key of the trust file; nothing has changed
  4  CONTRADICTION: signed by the key, but not shown to go on from the kept checkpoint. That stays; the new one is written to
     the state file's name with .contradiction at the end. Keep both: two signed checkpoints of one size with different roots
     are evidence against the operator, by themselves
  5  BEHIND: the log shows less than the kept checkpoint had (an old copy, a restore, or another log); that stays
  6  BAD ENTRIES: the entries do not lead to the signed root, or the batch headers do not follow one another; what was kept stays
  7  NOT WITNESSED: it goes on, but the quorum of the policy did not cosign it
  8  TOO OLD: it goes on, but the cosignatures of the quorum, or the newest batch, are older than --max-age,
     more than ten minutes ahead of the clock, or from more than ten minutes before the batch
  9  NOTHING KEPT: signed, and its tiles lead to its root, but the state file of an earlier look was lost (FILE.begun is there),
     and nothing shows that the log went on until now. The checkpoint is kept from now on
  10 EMPTY: signed, and the log has no batch yet: nothing is shown, and nothing is kept
`;

const EXIT_CODES: Readonly<Record<WatchResult, number>> = {
  GOES_ON: 0,
  UNREADABLE: 1,
  NOT_SIGNED: 3,
  CONTRADICTION: 4,
  BEHIND: 5,
  BAD_ENTRIES: 6,
  NOT_WITNESSED: 7,
  TOO_OLD: 8,
  NOTHING_KEPT: 9,
  EMPTY: 10,
};
const misused = misuseOf('sentinel monitor', HELP);
const SECONDS = /^[1-9]\d{0,8}$/;
const OPTIONS = {
  once: { type: 'boolean' },
  interval: { type: 'string' },
  trust: { type: 'string' },
  policy: { type: 'string' },
  url: { type: 'string' },
  state: { type: 'string' },
  'max-age': { type: 'string' },
  command: { type: 'string' },
  webhook: { type: 'string' },
  end: { type: 'boolean' },
  ca: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Given {
  readonly trust: ProofTrust;
  readonly prefix: string;
  readonly state: string;
  readonly fetch: typeof fetch;
  readonly maxAgeSeconds: number;
  readonly output: Output;
}

/** Streams for the output. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs `sentinel monitor`. @param signal ends the command, as SIGTERM and SIGINT do @returns the exit code */
export async function runMonitor(
  args: readonly string[],
  output: Output = process,
  signal?: AbortSignal,
): Promise<number> {
  const { values } = parseOptions({ args: [...args], options: OPTIONS });
  if (values.help === true) {
    output.stdout.write(HELP);
    return 0;
  }
  const { once, trust, url, state, ca, command, webhook, interval = DEFAULT_INTERVAL } = values;
  const prefix = prefixOf(url);
  const wrong = misuse(values, prefix);
  if (wrong !== undefined || trust === undefined || prefix === undefined || state === undefined)
    return misused(String(wrong), output.stderr);
  try {
    const trusted = await readTrust(trust, values.policy);
    const maxAgeSeconds = maxAgeOf(values['max-age'], trusted);
    const network = await openNetwork({ ca });
    const given = { trust: trusted, prefix, state, maxAgeSeconds, fetch: network.fetch, output };
    if (once === true) return told(output, await look(given, signal));
    const alarm = { command, webhook, fetch: network.fetch };
    return await keepLooking(given, Number(interval) * 1_000, values.end === true, alarm, signal);
  } catch (error) {
    if (!(error instanceof VerifyInputError || error instanceof LogUnreadableError)) throw error;
    output.stderr.write(`sentinel monitor: ${error.message}\n`);
    return EXIT_CODES.UNREADABLE;
  }
}

function misuse(
  values: { readonly [K in keyof typeof OPTIONS]?: string | boolean | undefined },
  prefix: string | undefined,
): string | undefined {
  const { trust, state, interval, webhook } = values;
  if (trust === undefined || prefix === undefined || state === undefined)
    return 'give --trust, --url (http or https) and --state';
  for (const [name, seconds] of [
    ['--interval', interval],
    ['--max-age', values['max-age']],
  ] as const)
    if (seconds !== undefined && !SECONDS.test(String(seconds))) return `${name} takes seconds`;
  if (Number(interval) > MAX_INTERVAL) return `--interval takes at most ${MAX_INTERVAL} seconds (22 days)`;
  const loopOnly = [interval, values.command, webhook, values.end].some((value) => value !== undefined);
  if (values.once === true && loopOnly)
    return '--interval, --command, --webhook and --end say nothing with --once';
  return webhook !== undefined && prefixOf(String(webhook)) === undefined
    ? '--webhook takes an address of http or https'
    : undefined;
}

/** A policy of `quorum none` asks for no cosignature, so that the newest batch would have to be of the last day. */
function maxAgeOf(given: string | undefined, trust: ProofTrust): number {
  if (given !== undefined) return Number(given);
  const policy = policyOfTrust(trust);
  const isQuorumAsked = policy !== undefined && policy !== 'UNUSABLE' && policy.quorum !== undefined;
  return isQuorumAsked ? DEFAULT_MAX_AGE : Infinity;
}

/** @throws VerifyInputError while another process looks with this state file, besides the errors of `lookOnce` */
async function look(
  { trust, prefix, state, maxAgeSeconds, fetch: by }: Given,
  signal?: AbortSignal,
): Promise<Found> {
  const log = new PublishedLog(prefix, by, signal);
  // Of two looks at once the slower would put its older checkpoint in the place of the newer.
  const unlock = locked(state);
  try {
    return await lookOnce({ trust, log, state, maxAgeSeconds, now: Date.now() });
  } finally {
    unlock();
  }
}

function locked(state: string): () => void {
  try {
    return lockFile(
      `${state}.lock`,
      `another monitor looks with ${state} at this moment: nothing was looked at`,
    );
  } catch (error) {
    if (error instanceof StateInUseError) throw new VerifyInputError(error.message);
    // Where no lock can be made, no checkpoint can be kept either; a problem of the log is told all the same.
    if (codeOf(error) === undefined) throw error;
    return () => undefined;
  }
}

async function keepLooking(
  given: Given,
  intervalMs: number,
  isEndedByProblem: boolean,
  alarm: Alarm,
  signal: AbortSignal | undefined,
): Promise<number> {
  const signals = new AbortController();
  const end = (): void => signals.abort();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, end);
  const ending = signal === undefined ? signals.signal : AbortSignal.any([signal, signals.signal]);
  const { stdout, stderr } = given.output;
  try {
    const ended = await watch({
      ...{ intervalMs, isEndedByProblem, ending, origin: given.trust.origin },
      look: () => look(given, ending).catch(unread),
      wait: (ms) => delay(ms, undefined, { signal: ending }).catch(() => undefined),
      chance: () => Math.random(),
      raise: (problem) => raise(problem, alarm),
      writeLine: (line, isProblem) => (isProblem ? stderr : stdout).write(`${line}\n`),
      now: () => Date.now(),
    });
    return ended === undefined ? 0 : EXIT_CODES[ended];
  } finally {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, end);
  }
}

/** Turns a temporary failure of a look into a result without an outcome. @throws any other error */
function unread(error: unknown): NotRead {
  const isOfFiles = codeOf(error)?.startsWith('E') === true;
  if (error instanceof LogUnreadableError)
    return { result: undefined, text: error.message, retryAfterMs: error.retryAfterMs };
  if (error instanceof VerifyInputError || isOfFiles) return { result: undefined, text: messageOf(error) };
  throw error;
}

function told({ stdout, stderr }: Output, { result, text }: Found): number {
  const stream = result === 'GOES_ON' ? stdout : stderr;
  stream.write(`${result.replaceAll('_', ' ')}: ${text}\n`);
  return EXIT_CODES[result];
}

/** Returns the address without a trailing slash; undefined when it is no http or https address. */
function prefixOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'http:' || protocol === 'https:'
    ? `${origin}${pathname.replace(/\/+$/, '')}`
    : undefined;
}
