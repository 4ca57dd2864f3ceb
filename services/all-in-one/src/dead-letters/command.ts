import { parseOptions } from '@sentinel-node/agent/arguments';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import { waitForGroup } from '../audit/wait-past.ts';
import { operate, OPTIONS, runCommand, UsageError, waitSeconds, type Operation } from '../operator/run.ts';
import { findParked, type ParkedFile } from './parked-files.ts';
import { parkedFileJson, table } from './list.ts';
import { replayFile, type ReplayDeps, type ReplayResult } from './replay.ts';

const HELP = `usage: sentinel dead-letters list [--json] [--data DIR]
       sentinel dead-letters replay FILE [--skip] [--wait SECONDS] [--json] [--data DIR]
       sentinel dead-letters replay --all [--wait SECONDS] [--json] [--data DIR]

A record that cannot be judged parks its file: it and all later records of the file become dead letters, in order.

list     shows the files that are parked now: how many records wait, up to when the file was judged, and the cause
replay   brings the letters back in order, to be judged as if they had come then; the file is parked no longer when all
         have been, unless a later report of the file cannot be judged either. It stops at a letter that still cannot
         be judged.

  FILE             a file's id, as list shows it
  --all            every parked file, one after the other
  --skip           passes over the first letter that waits, for ever: its report is not judged. For bytes that no
                   version can judge; try without it first
  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --wait SECONDS   how long each wait for the verifier may take (default: 120)
  --json           the result as JSON
  --help           this text

On Kafka and MongoDB (SENTINEL_KAFKA_BROKERS, SENTINEL_MONGODB_URL, SENTINEL_SECRET) the services go on meanwhile, and
the running verifiers judge. On the embedded store the system must be stopped, and this command judges; the views follow
at the next start. To run it again, or twice at once, does no harm.

Exit code 0: done, or list found no parked file; 1: list found a file that is parked, a replayed file is still parked or
parked again, or it could not be done, which is one line; 2: wrong usage.
`;

const WORDS = {
  ...OPTIONS,
  all: { type: 'boolean' },
  skip: { type: 'boolean' },
  wait: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse(args: readonly string[]) {
  return parseOptions({ args: [...args], options: WORDS, allowPositionals: true });
}

/** Runs `sentinel dead-letters`. @returns the exit code */
export async function runDeadLetters(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  return runCommand({ name: 'dead-letters', help: HELP }, values, () => {
    const fault = faultOf(values, positionals);
    if (fault !== undefined) throw new UsageError(fault);
    const [action, file] = positionals;
    const wait = waitSeconds(values.wait);
    return operate({ command: 'dead-letters', dataDir: values.data }, (operation) =>
      action === 'list' ? list(operation, values) : replay(operation, file, wait, values),
    );
  });
}

/** Returns the error in the command's arguments, if any. */
function faultOf(
  { all, skip, wait }: Values,
  [action, file, ...more]: readonly string[],
): string | undefined {
  if ((action !== 'list' && action !== 'replay') || more.length > 0)
    return 'say list or replay; --help tells more';
  if (action === 'list') {
    const isPlain = file === undefined && all === undefined && skip === undefined && wait === undefined;
    return isPlain ? undefined : 'list takes --json and --data only';
  }
  if ((file === undefined) === (all !== true)) return 'replay takes one FILE, or --all';
  if (all === true && skip === true)
    return '--skip takes one FILE: each letter that is passed over is a decision';
  return undefined;
}

async function list({ counter, eventLog, store }: Operation, { json }: Values): Promise<number> {
  await counter.plan({ [TOPICS.deadLetters]: 1 });
  const { files } = await findParked(eventLog, store);
  counter.writeReads();
  const result = { files: files.map(parkedFileJson), reads: counter.reads, total: counter.total };
  process.stdout.write(json === true ? `${JSON.stringify(result)}\n` : table(files));
  return files.length > 0 ? 1 : 0;
}

async function replay(
  operation: Operation,
  key: string | undefined,
  wait: number,
  values: Values,
): Promise<number> {
  const results: ReplayResult[] = [];
  await withVerifier(operation, wait, async (deps) => {
    for (const file of await chosen(operation, key)) {
      const result = await replayFile(deps, file, values.skip === true);
      results.push(result);
      if (values.json !== true) process.stdout.write(`${words(result)}\n`);
    }
  });
  const { counter } = operation;
  counter.writeReads();
  if (values.json === true)
    process.stdout.write(
      `${JSON.stringify({ files: results, reads: counter.reads, total: counter.total })}\n`,
    );
  else if (results.length === 0)
    process.stdout.write(key === undefined ? 'no file is parked\n' : `${key}: is not parked\n`);
  return results.some(({ stuck }) => stuck !== undefined) ? 1 : 0;
}

async function chosen(
  { eventLog, store }: Operation,
  key: string | undefined,
): Promise<readonly ParkedFile[]> {
  const { files, keys } = await findParked(eventLog, store);
  if (key === undefined) return files;
  if (!keys.has(key)) throw new UsageError(`${key} has no dead letters`);
  return files.filter((file) => file.key === key);
}

/** Runs `work`; on a stopped system, where no service judges, with a verifier. */
async function withVerifier(
  operation: Operation,
  seconds: number,
  work: (deps: ReplayDeps) => Promise<void>,
): Promise<void> {
  const { eventLog, store, isLive, log, logKey, writeLine } = operation;
  const patience = { isLive, waitSeconds: seconds, looks: 1, writeLine };
  const judgedUpTo = (ends: ReadonlyMap<number, number>) =>
    waitForGroup(eventLog, GROUPS.verifier, new Map([[TOPICS.fileEvents, ends]]), patience);
  const judged = (partition: number, offset: number) => judgedUpTo(new Map([[partition, offset + 1]]));
  if (isLive) return work({ eventLog, store, judged });
  const verifier = createChainVerifier({ eventLog, store, logId: logKey.logId, log });
  const ends = (await eventLog.bounds(TOPICS.fileEvents)).map(
    ({ partition, end }) => [partition, end] as const,
  );
  await verifier.start();
  try {
    // First judge the records that a killed process left unjudged.
    const all = judgedUpTo(new Map(ends)).then(() => work({ eventLog, store, judged }));
    await Promise.race([all, verifier.failed]);
  } finally {
    await verifier.stop();
  }
}

function words({ key, replayed, skipped, stuck }: ReplayResult): string {
  const done = [`${replayed} replayed`, ...(skipped > 0 ? [`${skipped} passed over`] : [])].join(', ');
  if (stuck === undefined) return `${key}: ${done}; parked no longer`;
  const parked = stuck.isNew === true ? 'parked again by a later report' : 'still parked';
  return `${key}: ${done}; ${parked}, letter ${stuck.index} cannot be judged: ${stuck.cause}`;
}
