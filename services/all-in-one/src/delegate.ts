import type { EventLog } from '@sentinel-node/platform';

/** The same log as an object of its own, for a caller that puts something else in the place of a call or two. */
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
