/** Removes a run's topics, groups and databases by their prefix. */
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import { MongoClient } from 'mongodb';
import { given } from './given.ts';
import { withKafka } from './kafka-admin.ts';
import { tryPrefix } from './prefix.ts';

/**
 * Longest wait for groups to be empty, in ms: a killed process stays a member until its session ends, which
 * takes a minute or more.
 */
const GROUPS_MS = 120_000;
const LOOK_AGAIN_MS = 1_000;

/** Removes everything with the prefix. @returns the removed names */
export async function removeAll(): Promise<readonly string[]> {
  const prefix = tryPrefix();
  const { kafka, mongodbUrl } = given();
  const removed = await withKafka(kafka, async (admin) => {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
    await deleteGroups(admin, ids);
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

async function deleteGroups(admin: Admin, ids: readonly string[]): Promise<void> {
  const end = Date.now() + GROUPS_MS;
  for (let left = ids; left.length > 0;) {
    try {
      await admin.deleteGroups([...left]);
      return;
    } catch (error) {
      if (!(error instanceof kafkajs.KafkaJSDeleteGroupsError) || Date.now() > end) throw error;
      left = error.groups.map(({ groupId }) => groupId);
      await delay(LOOK_AGAIN_MS);
    }
  }
}
