/** Common parts of the operator's commands: configured stores, errors in one line, an orderly end. */
import {
  confirmDocuments,
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
  /**
   * True when the services run in other processes, on Kafka and MongoDB; false when only this process uses the data folder.
   */
  readonly isLive: boolean;
  /** Aborted when the command must end early, with the error to throw as reason. */
  readonly signal: AbortSignal;
  /** Counts the reads of `eventLog` against the requested ends. */
  readonly counter: ReadCounter;
  /** Writes a line of progress to standard error. */
  readonly writeLine: (line: string) => void;
}

export interface OperationOptions {
  /** Name of the command, as typed after `sentinel`. */
  readonly command: string;
  /** Overrides SENTINEL_DATA_DIR. */
  readonly dataDir: string | undefined;
  /** True when the stores are new to this log; then only `work` may record the log's key. */
  readonly isFirst?: boolean;
}

/** Client id for quotas, so that a quota for these commands does not slow the services down (deploy/runbook.md). */
export const OPERATOR_CLIENT_ID = 'sentinel-node-operator';

/** Wrong usage of a command, which ends with a message and exit code 2. */
export class UsageError extends Error {}

/** Options of every command that works on the stores. */
export const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Prints `help` on request, else runs the command, which checks its arguments before the stores are opened. An error
 * that a person can correct is one line on standard error and exit code 1; unexpected errors are thrown.
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

/** Writes a line of progress, or of a failure, to standard error. */
export function say(command: string, line: string): void {
  process.stderr.write(`sentinel ${command}: ${line}\n`);
}

/** Reads the configuration. @param dataDir overrides SENTINEL_DATA_DIR */
export function configOf(dataDir: string | undefined): Config {
  const env = dataDir === undefined ? process.env : { ...process.env, SENTINEL_DATA_DIR: dataDir };
  return readConfig(env, ['ingestion']);
}

/** Opens the configured stores, runs `work`, then closes them; for use in `runCommand`. */
export async function operate(
  { command, dataDir, isFirst = false }: OperationOptions,
  work: (operation: Operation) => Promise<number>,
): Promise<number> {
  const config = configOf(dataDir);
  // Standard output is reserved for the result.
  const log = createLog({ level: 'warn', service: command, destination: process.stderr });
  // A command that made the folder would report an empty system as a healthy one.
  if (!isFirst && config.store.kind === 'embedded') confirmDocuments(config.dataDir);
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
    if (!isFirst) await confirmStores(stores.store, stores.eventLog, logKey, { mayBegin: false });
    const writeLine = (line: string) => say(command, line);
    const isLive = config.store.kind === 'cluster';
    counter = new ReadCounter(stores.eventLog, writeLine);
    const operation = { ...stores, eventLog: counter.eventLog, counter, config, openScratch, logKey };
    return await untilSignal((signal) => work({ ...operation, log, isLive, signal, writeLine }));
  } finally {
    counter?.close();
    await Promise.all(scratches.map((scratch) => scratch.close()));
    await stores.close();
  }
}

/** Parses a count or a duration of the command line. @throws UsageError */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`--${option} takes a whole number from ${least} to ${most}`);
  return value;
}

const DEFAULT_WAIT_SECONDS = '120';
const MAX_WAIT_SECONDS = 86_400;

/** Parses `--wait SECONDS`: the longest single wait for running services. @throws UsageError */
export function waitSeconds(given: string | undefined): number {
  return wholeNumber('wait', given ?? DEFAULT_WAIT_SECONDS, 1, MAX_WAIT_SECONDS);
}
