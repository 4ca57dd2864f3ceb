import { escapeLines } from './escape-lines.ts';

export type LogLevel = 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, message: string) => void;
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * Returns a log function that writes one line per message to standard error.
 * @param device named in each line when there are several
 */
export function logger(format: LogFormat, device?: string): Log {
  return (level, message) => {
    const time = new Date().toISOString();
    const line =
      format === 'json'
        ? JSON.stringify({ time, level, ...(device === undefined ? {} : { device }), message })
        : `${time} ${level} ${device === undefined ? '' : `${device} `}${escapeLines(message)}`;
    process.stderr.write(`${line}\n`);
  };
}
