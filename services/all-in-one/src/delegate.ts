import type { EventLog } from '@sentinel-node/platform';

/** Returns a log that delegates to another, for a caller that replaces some methods. */
export function delegateTo(eventLog: EventLog): EventLog {
  return {
    append: (topic, records) => eventLog.append(topic, records),
    consume: (topics, group, handler, options) => eventLog.consume(topics, group, handler, options),
    read: (topic, partition, from, to) => eventLog.read(topic, partition, from, to),
    tail: (topic, from, onBatch) => eventLog.tail(topic, from, onBatch),
    bounds: (topic) => eventLog.bounds(topic),
    committed: (topic, group) => eventLog.committed(topic, group),
    epoch: (topic) => eventLog.epoch(topic),
    close: () => eventLog.close(),
  };
}
