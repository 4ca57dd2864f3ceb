/** Main module of the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { openBrokerEventLog } from '../broker-event-log.ts';
import type { Lag } from '../lag-gauge.ts';
import { LogThread } from './log-thread.ts';
import type { FromThread, ThreadOptions } from './protocol.ts';

const port = parentPort;
if (port === null) throw new Error('this module is the body of a worker thread');
const { connection, limits, logLevel, topics } = workerData as ThreadOptions;
const tell = (message: FromThread) => port.postMessage(message);
const log = pino({ level: logLevel, base: null }, { write: (line) => tell({ kind: 'log', line }) });
const lag: Lag = {
  assign: (group, of, partitions) => tell({ kind: 'assigned', group, topics: of, partitions }),
  set: (group, topic, partition, records) => tell({ kind: 'lag', group, topic, partition, records }),
};
const eventLog = openBrokerEventLog({ connection, limits, log }, topics, lag);
// The answer to `open` reports a failure.
eventLog.catch(() => undefined);
new LogThread(port, eventLog, topics[0]!.name);
