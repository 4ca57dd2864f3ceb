import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore, openEmbeddedEventLog } from '../src/embedded/index.ts';

const TOPIC = { name: 'crash', partitions: 3, retention: 'forever' } as const;
const CHILD = fileURLToPath(new URL('./fixtures/append-until-killed.js', import.meta.url));
const ROUNDS = 3;
const ACKNOWLEDGED_BEFORE_KILL = 400;

/** Runs the child until it has acknowledged enough, kills it with -9 and returns its output. */
async function killedInFlight(path: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === ACKNOWLEDGED_BEFORE_KILL) child.kill('SIGKILL');
  }
  await closed;
  return acknowledged;
}

t.test('kill -9 at any moment loses nothing that was acknowledged', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'sentinel-test-'));
  t.teardown(() => rmSync(path, { recursive: true }));
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) acknowledged.push(...(await killedInFlight(path, round)));
  t.ok(acknowledged.length >= ROUNDS * ACKNOWLEDGED_BEFORE_KILL);

  const folder = openDataFolder(path);
  const log = await openEmbeddedEventLog({ folder, topics: [TOPIC] });
  const store = await openEmbeddedDocumentStore({ folder });
  const found = new Set<string>();
  let gaps = 0;
  for (let partition = 0; partition < TOPIC.partitions; partition++) {
    let next = 0;
    for await (const batch of log.read(TOPIC.name, partition, 0)) {
      for (const stored of batch.records) {
        if (stored.offset !== next++) gaps++;
        found.add(`log ${stored.id}`);
      }
    }
  }
  for await (const page of store.scan('documents')) for (const { id } of page) found.add(`doc ${id}`);
  t.equal(gaps, 0, 'offsets have no gap');
  t.same(
    acknowledged.filter((line) => !found.has(line)),
    [],
  );
  await Promise.all([log.close(), store.close()]);
  folder.release();
});
