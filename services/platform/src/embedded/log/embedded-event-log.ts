import { randomUUID } from 'node:crypto';
import { endProcess, WorkerChannel } from '../worker-channel.ts';
import type { FatalHandler } from '../worker-channel.ts';
import type { LogReader } from './cursor.ts';
import { EVENT_LOG_LIMITS } from './event-log-options.ts';
import type { EmbeddedEventLog, EmbeddedEventLogOptions } from './event-log-options.ts';
import type { LogWriter } from './flusher.ts';
import type { LogThreadOptions, OpenedLog } from './log-protocol.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';

export const LOG_FILE = 'log.db';

/**
 * Opens the log of a data folder, or creates it. @throws PartitionCountChangedError, RowUnreadableError
 * @throws NotDurableError when there is no room for the tables
 */
export async function openEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<EmbeddedEventLog> {
  const limits = { ...EVENT_LOG_LIMITS, ...options.limits };
  const thread: LogThreadOptions = {
    file: options.folder.file(LOG_FILE),
    cacheBytes: limits.pageCacheBytes,
  };
  const onFatal = options.onFatal ?? endProcess;
  let opening = true;
  const failed: FatalHandler = (error) => (opening ? undefined : onFatal(error));
  const writer: LogWriter = new WorkerChannel(new URL('./log-writer.js', import.meta.url), thread, failed);
  try {
    const request = { topics: options.topics, epoch: randomUUID(), maxBytes: options.maxBytes ?? 0 };
    const opened = (await writer.call({ op: 'open', ...request })) as OpenedLog;
    opening = false;
    const reader: LogReader = new WorkerChannel(new URL('./log-reader.js', import.meta.url), thread, onFatal);
    return new SqliteEventLog(options.topics, opened, writer, reader, limits);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
