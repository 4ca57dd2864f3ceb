/** Removes what a run has made, by its prefix. */
import { MongoClient } from 'mongodb';
import { given } from './given.ts';
import { withKafka } from './kafka-admin.ts';
import { tryPrefix } from './prefix.ts';

/** @returns names of what was removed */
export async function removeAll(): Promise<readonly string[]> {
  const prefix = tryPrefix();
  const { kafka, mongodbUrl } = given();
  const removed = await withKafka(kafka, async (admin) => {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
    if (ids.length > 0) await admin.deleteGroups(ids);
    return [...topics, ...ids];
  });
  const client = new MongoClient(mongodbUrl, { appName: 'sentinel-try-backends' });
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const own = databases.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    for (const name of own) await client.db(name).dropDatabase();
    return [...removed, ...own];
  } finally {
    await client.close();
  }
}
