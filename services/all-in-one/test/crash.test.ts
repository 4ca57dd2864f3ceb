/** Tests that kill -9 at any moment loses no accepted report, repeats none, and raises no false alert. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Alert, Event } from '@sentinel-node/contracts';
import { auditIsClean } from './support/audit.ts';
import { sendAll } from './support/bulk.ts';
import { founder } from './support/client.ts';
import { startedNode } from './support/node.ts';
import { seeded } from './support/random.ts';
import { addFiles, deviceOf, version, type Reporter } from './support/reporter.ts';
import { linksOf } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

const DEVICES = 4;
const FILES_PER_DEVICE = 50;
const REPORTS_PER_FILE = 100;
/** Reports of one file in a body, in order. */
const IN_A_BODY = 2;
const KILLS = 3;
/** Longest time from the chosen answer to the kill, in ms. */
const KILL_WITHIN_MS = 40;

interface Sender {
  readonly agent: Reporter;
  readonly files: readonly string[];
}

/** Returns the n-th version of a file; all versions differ. */
const nth = (fileId: string, n: number) => version(`${fileId} ${n}`);

/** Returns the bodies of one device in order; every report makes a link. */
function bodiesOf({ agent, files }: Sender): string[][] {
  const bodies: string[][] = [];
  for (let from = 0; from < REPORTS_PER_FILE; from += IN_A_BODY) {
    const steps = Array.from({ length: IN_A_BODY }, (_, i) => from + i);
    bodies.push(steps.flatMap((n) => files.map((fileId) => lineOf(agent, fileId, n))));
  }
  return bodies;
}

function lineOf(agent: Reporter, fileId: string, n: number): string {
  const versions = n === 0 ? [nth(fileId, 0)] : [nth(fileId, n - 1), nth(fileId, n)];
  return JSON.stringify({
    fileId,
    sequence: agent.nextSequence(),
    timestamp: new Date().toISOString(),
    change: n === 0 ? 'FIRST' : 'REPLACED',
    versions,
  });
}

t.setTimeout(FILE_MS);
t.test('20,000 reports in bulk and three times kill -9', { timeout: FILE_MS }, async (t) => {
  const random = seeded(t);
  const node = await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '2' });
  const admin = await founder(node);
  const senders: Sender[] = [];
  for (let d = 0; d < DEVICES; d += 1) {
    const agent = await deviceOf(admin, { name: `Device ${d}` });
    const wishes = Object.fromEntries(Array.from({ length: FILES_PER_DEVICE }, (_, f) => [`file ${f}`, {}]));
    senders.push({ agent, files: Object.values(await addFiles(agent, wishes)) });
  }
  const work = senders.map((sender) => ({ sender, bodies: bodiesOf(sender) }));
  const total = work.reduce((sum, { bodies }) => sum + bodies.length, 0);
  t.equal(work.flatMap(({ bodies }) => bodies.flat()).length, 20_000);

  let answered = 0;
  let repeated = 0;
  const sending = Promise.all(
    work.map(async ({ sender, bodies }) => {
      for (const body of bodies) {
        const { attempts } = await sendAll(sender.agent, body);
        answered += 1;
        repeated += attempts - 1;
      }
    }),
  );
  const began = performance.now();
  const moments = Array.from({ length: KILLS }, () => 1 + random(total - 2)).sort((a, b) => a - b);
  const killing = (async () => {
    for (const moment of moments) {
      await until(`${moment} answers`, () => (answered >= moment ? true : undefined));
      await pause(random(KILL_WITHIN_MS));
      t.match(await node.kill(), { signal: 'SIGKILL' }, `killed after ${answered} of ${total} bodies`);
      await node.start();
    }
  })();
  await Promise.all([sending, killing]);
  t.comment(`${Math.round(performance.now() - began)} ms; ${repeated} bodies were sent again`);

  const broken: unknown[] = [];
  for (const { agent, files } of senders) {
    for (const fileId of files) {
      const links = await until('the last version', async () => {
        const links = await linksOf(agent, fileId);
        return links[0]?.hash === nth(fileId, REPORTS_PER_FILE - 1).hash ? links.reverse() : undefined;
      });
      const numbers = links.map(({ number }) => number);
      const hashes = links.map(({ hash }) => hash);
      const expected = Array.from({ length: REPORTS_PER_FILE }, (_, n) => n);
      const isWhole =
        JSON.stringify(numbers) === JSON.stringify(expected.map((n) => n + 1)) &&
        JSON.stringify(hashes) === JSON.stringify(expected.map((n) => nth(fileId, n).hash));
      if (!isWhole) broken.push({ fileId, numbers });
    }
  }
  t.same(broken, [], 'every link once, numbered without a gap');
  t.same((await admin.done('GET', `/alerts/${admin.orgId}`)).alerts, [] as Alert[], 'no false alert');
  const { events } = await admin.done('GET', `/events/${admin.orgId}?limit=500`);
  t.same(
    new Set((events as Event[]).map(({ type }) => type)),
    new Set(['CREATE_DEVICE', 'CREATE_FILE']),
    'no other event',
  );
  t.equal(events.length, DEVICES * (1 + FILES_PER_DEVICE));
  await node.stop();
  const { entries, judged } = await auditIsClean(t, node.dataDir);
  t.equal(entries, 20_000 + DEVICES * FILES_PER_DEVICE, 'each report an entry, and a GENESIS each file');
  t.ok(judged >= 20_000);
});
