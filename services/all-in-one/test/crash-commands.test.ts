/**
 * Tests kill -9 while people work: acknowledged changes are there once, and the views follow from the log.
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Alert, Event } from '@sentinel-node/contracts';
import { auditIsClean } from './support/audit.ts';
import { founder, type Answer } from './support/client.ts';
import { startedNode, type Node } from './support/node.ts';
import { seeded } from './support/random.ts';
import { addFiles, deviceOf, MODIFIABLE, version } from './support/reporter.ts';
import { turnOff } from './support/scene.ts';
import { DEADLINE_MS, FILE_MS, until } from './support/until.ts';

const ALERTS = 40;
const NEW_FILES = 120;
const KILLS = 3;
const KILL_WITHIN_MS = 15;
const AGAIN_MS = 20;

/** Repeats a call until the status is below 500. @throws Error after the deadline */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return answer;
    if (Date.now() > end) throw new Error(`no answer came: ${answer?.status}`);
    await pause(AGAIN_MS);
  }
}

t.setTimeout(FILE_MS);
t.test('kill -9 while files are added and alerts turned off', { timeout: FILE_MS }, async (t) => {
  const random = seeded(t);
  const node = await startedNode(t);
  const admin = await founder(node);
  const agent = await deviceOf(admin);
  const names = Array.from({ length: ALERTS }, (_, i) => `watched ${i}`);
  const watched = await addFiles(
    agent,
    Object.fromEntries(names.map((name) => [name, { modifiable: false }])),
  );
  for (const id of Object.values(watched)) {
    await agent.report(id, 'FIRST', version('a'));
    await agent.report(id, 'REPLACED', version('a'), version('b'));
  }
  const list = async () => (await admin.done('GET', `/alerts/${admin.orgId}?limit=500`)).alerts as Alert[];
  const raised = await until('all alerts', async () => {
    const alerts = await list();
    return alerts.length === ALERTS ? alerts : undefined;
  });

  let acknowledged = 0;
  const added: string[] = [];
  const adding = async () => {
    for (let i = 0; i < NEW_FILES; i += 1) {
      const file = { ...MODIFIABLE, name: `new ${i}`, path: `files/new ${i}` };
      const add = () => admin.api('PUT', `/devices/files/${agent.path}`, { files: [file] });
      const answer = await answered(add);
      // 422: the path exists already, from the call whose answer the kill took.
      t.ok([200, 422].includes(answer.status), `adding answers ${answer.status}`);
      added.push(file.name);
      acknowledged += 1;
    }
  };
  const turning = async () => {
    for (const [i, alert] of raised.entries()) {
      const status = i % 2 === 0 ? 'RESOLVED' : 'DEACTIVATED';
      const answer = await answered(() => turnOff(admin, alert, status, { note: `note ${i}` }));
      t.match(answer, { status: 200, body: { status, note: `note ${i}` } });
      acknowledged += 1;
    }
  };
  await Promise.all([adding(), turning(), killing(t, node, random, () => acknowledged)]);

  const device = await admin.done('GET', `/devices/${agent.path}`);
  const present = (device.files as { name: string }[]).map(({ name }) => name);
  t.same([...present].sort(), [...names, ...added].sort(), 'every file, once');
  const alerts = await list();
  t.equal(alerts.length, ALERTS);
  for (const [i, alert] of raised.entries()) {
    const status = i % 2 === 0 ? 'RESOLVED' : 'DEACTIVATED';
    t.match(
      alerts.find(({ id }) => id === alert.id),
      { status, note: `note ${i}`, occurrences: 1 },
    );
  }
  const ids = new Map((device.files as { id: string; name: string }[]).map(({ id, name }) => [name, id]));
  const events = await until('an event of every file', async () => {
    const { events } = await admin.done('GET', `/events/${agent.path}?limit=500`);
    const created = (events as Event[]).filter(({ type }) => type === 'CREATE_FILE');
    return created.length >= ids.size ? created : undefined;
  });
  t.same(events.map(({ fileId }) => fileId).sort(), [...ids.values()].sort(), 'each added once');
  await node.stop();
  await auditIsClean(t, node.dataDir);
});

async function killing(
  t: { comment(text: string): void },
  node: Node,
  random: (below: number) => number,
  acknowledged: () => number,
): Promise<void> {
  const total = ALERTS + NEW_FILES;
  const moments = Array.from({ length: KILLS }, () => 1 + random(total - 10)).sort((a, b) => a - b);
  for (const moment of moments) {
    await until(`${moment} commands`, () => (acknowledged() >= moment ? true : undefined));
    await pause(random(KILL_WITHIN_MS));
    await node.kill();
    t.comment(`killed after ${acknowledged()} of ${total} commands`);
    await node.start();
  }
}

t.test('the audit of a folder whose process was killed', { timeout: FILE_MS }, async (t) => {
  const random = seeded(t);
  const node = await startedNode(t);
  const admin = await founder(node);
  const agent = await deviceOf(admin);
  const { first = '' } = await addFiles(agent, { first: {} });
  await agent.report(first, 'FIRST', version('0'));
  let isKilled = false;
  const killed = (async () => {
    await pause(200 + random(300));
    isKilled = true;
    await node.kill();
  })();
  let n = 0;
  const busy = async () => {
    for (; node.child.end() === undefined; n += 1) {
      await agent.send(first, { change: 'REPLACED', versions: [version(String(n)), version(String(n + 1))] });
      await addFiles(agent, { [`file ${n}`]: {} });
    }
  };
  const endedWithNode = busy().catch((error: unknown) => {
    if (!isKilled) throw error;
  });
  await Promise.all([killed, endedWithNode]);
  t.ok(n > 0, `killed after ${n} commands and reports`);
  await auditIsClean(t, node.dataDir);
});
