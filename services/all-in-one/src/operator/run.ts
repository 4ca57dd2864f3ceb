/** What the operator's commands have in common: stores by the environment, one-line errors, an orderly end. */
import {
  confirmStores,
  createLog,
  createMetrics,
  failureMessage,
  logKeyOf,
  openStores,
  readConfig,
  type Config,
  type DocumentStore,
  type Log,
  type LogKey,
  type Stores,
} from '@sentinel-node/platform';
import { ReadCounter } from './read-counter.ts';
import { endSoon, InterruptedError, untilSignal } from './signals.ts';

export interface Operation extends Stores {
  readonly config: Config;
  readonly logKey: LogKey;
  readonly log: Log;
  /** The system's services run in other processes, on Kafka and MongoDB; false: nobody else uses the data folder. */
  readonly isLive: boolean;
  /** Aborted when the command is to end before it is done; its reason is what to throw. */
  readonly signal: AbortSignal;
  /** Counts what is read by `eventLog` against the ends that are asked for. */
  readonly counter: ReadCounter;
  /** A line of progress on standard error. */
  tell(line: string): void;
}

export interface OperationOptions {
  /** As typed after `sentinel`. */
  readonly command: string;
  /** Overrides SENTINEL_DATA_DIR. */
  readonly dataDir: string | undefined;
  /** The stores are new to this log: its key is not recorded before `work` says so. */
  readonly isFirst?: boolean;
}

/** Quotas are set by it: one for these commands does not slow the services down (deploy/runbook.md). */
export const OPERATOR_CLIENT_ID = 'sentinel-node-operator';

/** Wrong usage: a message and exit code 2. */
export class UsageError extends Error {}

/** What every command takes that works on the stores. */
export const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Prints `help` if it is asked for, else does the work: its words first, so that wrong ones are told before stores are
 * opened. What a person can do something about is one line on standard error and exit code 1; surprises are thrown.
 * @returns the exit code
 */
export async function runCommand(
  { name, help }: { readonly name: string; readonly help: string },
  values: { readonly help?: boolean | undefined },
  work: () => Promise<number>,
): Promise<number> {
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  try {
    return await work();
  } catch (error) {
    const message = error instanceof UsageError ? error.message : failureMessage(error);
    if (message === undefined) throw error;
    say(name, message);
    if (error instanceof UsageError) return 2;
    if (!(error instanceof InterruptedError)) return 1;
    endSoon(error.exitCode);
    return error.exitCode;
  }
}

function say(command: string, line: string): void {
  process.stderr.write(`sentinel ${command}: ${line}\n`);
}

/** Opens the stores that the environment names, runs `work`, closes. For the work of `runCommand`. */
export async function operate(
  { command, dataDir, isFirst = false }: OperationOptions,
  work: (operation: Operation) => Promise<number>,
): Promise<number> {
  const env = dataDir === undefined ? process.env : { ...process.env, SENTINEL_DATA_DIR: dataDir };
  const config = readConfig(env, ['ingestion']);
  // Standard output is for the result.
  const log = createLog({ level: 'warn', service: command, destination: process.stderr });
  const stores = await openStores(config, log, createMetrics(command), {
    kafkaClientId: OPERATOR_CLIENT_ID,
  });
  const scratches: DocumentStore[] = [];
  let counter: ReadCounter | undefined;
  const openScratch = async () => {
    const scratch = await stores.openScratch();
    scratches.push(scratch);
    return scratch;
  };
  try {
    const logKey = logKeyOf(stores.masterSecret);
    if (!isFirst) await confirmStores(stores.store, stores.eventLog, logKey);
    const tell = (line: string) => say(command, line);
    const isLive = config.store.kind === 'cluster';
    counter = new ReadCounter(stores.eventLog, tell);
    const operation = { ...stores, eventLog: counter.eventLog, counter, config, openScratch, logKey };
    return await untilSignal((signal) => work({ ...operation, log, isLive, signal, tell }));
  } finally {
    counter?.close();
    await Promise.all(scratches.map((scratch) => scratch.close()));
    await stores.close();
  }
}

/** A count or a duration of the command line. @throws UsageError */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`--${option} takes a whole number from ${least} to ${most}`);
  return value;
}

const DEFAULT_WAIT_SECONDS = '120';
const MAX_WAIT_SECONDS = 86_400;

/** `--wait SECONDS`: how long each wait for running services may take. @throws UsageError */
export function waitSeconds(given: string | undefined): number {
  return wholeNumber('wait', given ?? DEFAULT_WAIT_SECONDS, 1, MAX_WAIT_SECONDS);
}
