import { pino, type DestinationStream, type Logger } from 'pino';
import { humanLine } from './human.ts';
import { REDACT_PATHS, REDACTED, withoutSecrets } from './redact.ts';

export type Log = Logger;

/** Level from which on a line is an alarm: ERROR, and FATAL above it. */
const ALARM_LEVEL = 50;

export interface LogOptions {
  readonly level: string;
  /** Name of the service, in every line as `service`. */
  readonly service: string;
  /** Default: standard output, one line for a person when that is a terminal, JSON otherwise. */
  readonly destination?: DestinationStream;
}

/**
 * Returns a logger that never writes tokens, keys, cookies or bodies. Times are ISO 8601 UTC. Each line of level ERROR and above has
 * `alarm: true`, and no other line has.
 */
export function createLog(options: LogOptions): Log {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: (_, level) => (level >= ALARM_LEVEL ? { alarm: true } : {}),
      redact: { paths: REDACT_PATHS, censor: REDACTED },
      hooks: { streamWrite: withoutSecrets },
    },
    options.destination ?? standardOutput(),
  );
}

/** Writes synchronously, so that no line is lost when the process ends. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: true });
  if (process.stdout.isTTY !== true) return destination;
  return { write: (line) => destination.write(humanLine(line)) };
}

/** Returns a logger without output, for tests and tools. */
export const silentLog = (): Log => pino({ level: 'silent' });
