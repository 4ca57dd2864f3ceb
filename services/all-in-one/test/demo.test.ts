/** Tests the first start: a fresh folder gets a demonstration, once. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Alert, Link } from '@sentinel-node/contracts';
import { runChild } from './support/child.ts';
import { call, Person, type Member } from './support/client.ts';
import { Node, ROOT, startedNode } from './support/node.ts';
import { FILE_MS, until } from './support/until.ts';

const START = join(ROOT, 'scripts/start.mjs');
const DEMO = { SENTINEL_DEMO: 'on' };

interface Watching {
  readonly person: Member;
  readonly deviceId: string;
  /** File ids by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Signs in as the banner says and reads the demonstration. */
async function lookAt(node: Node): Promise<Watching> {
  const person = new Person(node, 'demo@example.org', 'Demo Admin') as Member;
  await person.signIn();
  const { devices } = await person.done('GET', `/devices/${person.orgId}`);
  if (devices.length !== 1) throw new Error(`${devices.length} devices`);
  const device = await person.done('GET', `/devices/${person.orgId}/${devices[0].id}`);
  const files = Object.fromEntries(
    (device.files as { id: string; name: string }[]).map(({ id, name }) => [name, id]),
  );
  return { person, deviceId: device.id as string, files };
}

async function chainOf({ person, deviceId }: Watching, fileId = ''): Promise<Link[]> {
  const path = `/files/chain/${person.orgId}/${deviceId}/${fileId}`;
  return (await person.done('PUT', path, { before: 500 })).links as Link[];
}

t.setTimeout(FILE_MS);
t.test('the demonstration', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t, DEMO);
  t.comment(`first start ready after ${Math.round(await node.start())} ms`);
  const folder = join(node.dataDir, 'demo/files');
  const before = await lookAt(node);
  let journal: Link[] = [];

  await t.test('is set up, told of, and watched by the real agent', async (t) => {
    t.same(Object.keys(before.files).sort(), ['Access log', 'Journal', 'Program', 'Settings']);
    t.match(node.child.stderr(), `A demonstration runs: an agent watches ${folder}`);
    t.match(node.child.stderr(), /Sign in as demo@example\.org: {2}http:\/\/localhost:\d+\/login\?/);
    t.same(readdirSync(folder).sort(), ['access.log', 'journal.log', 'program.sh', 'settings.json']);
    for (const id of Object.values(before.files)) {
      await until('a baseline', async () => (await chainOf(before, id)).find(({ firstHash }) => firstHash));
    }
    journal = await until('a journal that grows', async () => {
      const links = await chainOf(before, before.files['Journal']);
      return links.length > 1 ? links : undefined;
    });
    t.same((await before.person.done('GET', `/alerts/${before.person.orgId}`)).alerts, []);
  });

  await t.test('a changed byte and a changed program raise their alerts', async (t) => {
    const path = join(folder, 'journal.log');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `X${text.slice(1)}`);
    writeFileSync(join(folder, 'program.sh'), '#!/bin/sh\necho "I am another."\n');
    const alerts = await until('both alerts', async () => {
      const { alerts } = await before.person.done('GET', `/alerts/${before.person.orgId}`);
      return alerts.length >= 2 ? (alerts as Alert[]) : undefined;
    });
    t.same(
      new Set(alerts.map(({ type, fileName }) => `${fileName} ${type}`)),
      new Set(['Journal HASH_BREACH', 'Program UNEXPECTED_CHANGE']),
    );
  });

  await t.test('is kept at the next start, and the agent goes on from what it reported', async (t) => {
    t.equal((await node.stop()).code, 0);
    t.comment(`second start ready after ${Math.round(await node.start())} ms`);
    const after = await lookAt(node);
    t.equal(after.person.orgId, before.person.orgId, 'no second organisation');
    t.equal(after.deviceId, before.deviceId);
    t.same(after.files, before.files);
    const links = await until('a journal that goes on', async () => {
      const links = await chainOf(after, after.files['Journal']);
      return links.length > journal.length + 2 ? links : undefined;
    });
    t.equal(links.filter(({ firstHash }) => firstHash).length, 1, 'no new baseline');
    t.same(
      links.slice(-journal.length).map(({ linkHash }) => linkHash),
      journal.map(({ linkHash }) => linkHash),
    );
    const { alerts } = await after.person.done('GET', `/alerts/${after.person.orgId}`);
    t.equal(alerts.length, 2, 'no new alert');
  });

  await t.test('leaves a change made while it was away to be found', async (t) => {
    await node.kill();
    writeFileSync(join(folder, 'program.sh'), '#!/bin/sh\necho "I am a third one."\n');
    await node.start();
    const { person } = await lookAt(node);
    const alert = await until('the alert counted on', async () => {
      const { alerts } = await person.done('GET', `/alerts/${person.orgId}`);
      return (alerts as Alert[]).find(({ occurrences }) => occurrences > 1);
    });
    t.match(alert, { type: 'UNEXPECTED_CHANGE', fileName: 'Program', occurrences: 2 });
  });
});

t.test('without the demonstration', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t);
  t.notMatch(node.child.stderr(), 'demonstration');
  t.same((await call(node, 'GET', '/dev-mail/messages')).body, [], 'nobody was invited');
  await node.stop();
  await node.start(DEMO);
  t.notMatch(node.child.stderr(), 'demonstration', 'a folder in use does not get one later');
});

t.test('npm start', async (t) => {
  const help = await runChild(t, [START, '--help']);
  t.equal(help.code, 0);
  t.match(help.stdout, /npm start/);
  t.match(help.stdout, /SENTINEL_PORT +TCP port/);
  const wrong = await runChild(t, [START, '--prot']);
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, /"--prot".*--help/);
  t.equal(wrong.stderr.trim().split('\n').length, 1);
});
