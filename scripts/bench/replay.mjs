// Reads the log of a data folder, and makes all views anew from it, in a process of its own.
import { createMetrics, openStores, silentLog } from '@sentinel-node/platform';
import { VIEW_TOPICS } from '@sentinel-node/query';
import { runRebuild } from '../../services/all-in-one/dist/src/rebuild/command.js';
import { answerCalls } from './child.mjs';
import { configurationOf } from './configuration.mjs';
import { usage } from './usage.mjs';

const MS_PER_SECOND = 1_000;

async function timed(work) {
  const before = usage();
  const result = await work();
  const after = usage();
  return { result, seconds: (after.at - before.at) / MS_PER_SECOND, cpu: after.cpu - before.cpu };
}

/** Reads every record that the views are made of, and does nothing with it. */
async function readLog({ folder, secret }) {
  const stores = await openStores(configurationOf({ folder, secret }), silentLog(), createMetrics('bench'));
  try {
    const topics = new Set(Object.values(VIEW_TOPICS).flat());
    return await timed(async () => {
      let records = 0;
      for (const topic of topics)
        for (const { partition, start, end } of await stores.eventLog.bounds(topic))
          for await (const batch of stores.eventLog.read(topic, partition, start, end))
            records += batch.records.length;
      return records;
    });
  } finally {
    await stores.close();
  }
}

/** Runs `sentinel rebuild --all`. */
async function rebuildViews({ folder, secret }) {
  process.env.SENTINEL_SECRET = secret;
  const done = await timed(() => runRebuild(['--all', '--data', folder]));
  if (done.result !== 0) throw new Error(`the rebuild ended with ${done.result}`);
  return done;
}

answerCalls({ readLog, rebuildViews, stop: () => undefined });
