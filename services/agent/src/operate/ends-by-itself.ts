import { logger, type LogFormat } from './log.ts';
import type { Signals } from './signals.ts';

/** Leaves a run without an orderly end to SIGINT and SIGTERM, and says of SIGHUP that it changes nothing. */
export function endsByItself(signals: Signals, format: LogFormat): void {
  signals.endAtStop();
  ignoreHangUps(signals, format);
}

/** Says of SIGHUP that it changes nothing. */
export function ignoreHangUps(signals: Signals, format: LogFormat): void {
  signals.onHangUp(() =>
    logger(format)('warn', 'SIGHUP is ignored: only a running agent reads its configurations again'),
  );
}
