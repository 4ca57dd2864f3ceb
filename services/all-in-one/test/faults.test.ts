/**
 * Tests that a fault at the start is explained in one line, and that a fault that stops the system loses
 * nothing.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { isGroupGone, OWN_GROUP, runChild } from './support/child.ts';
import { call, founder } from './support/client.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, QUIET, RUN, startedNode } from './support/node.ts';
import { addFiles, deviceOf, version } from './support/reporter.ts';
import { alertsOf, linksOf, linksOnce } from './support/scene.ts';
import { openStream } from './support/sse.ts';
import { FILE_MS, until } from './support/until.ts';

/** Number of versions that a report adds. */
const STEPS = 200;

t.setTimeout(FILE_MS);

/** Checks that the system does not start: one line with the reason, exit code 1, no stack. */
async function refuses(t: Test, env: Readonly<Record<string, string>>, says: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runChild(t, [RUN], { ...QUIET, ...env });
  t.equal(code, 1);
  t.match(stderr, says);
  t.equal(stderr.trim().split('\n').length, 1, 'one line');
  t.notMatch(stdout + stderr, /^ +at /m, 'no stack');
}

const listening = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen({ host: '127.0.0.1', port: 0 }, () => resolve(server));
  });

t.test('what it cannot start with', { timeout: FILE_MS }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const dataDir = join(folder, 'data');

  await t.test('a port in use', async (t) => {
    const server = await listening();
    t.teardown(() => server.close());
    const { port } = server.address() as { port: number };
    const says = new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use; .*SENTINEL_PORT`);
    await refuses(t, { SENTINEL_DATA_DIR: dataDir, SENTINEL_PORT: String(port) }, says);
  });
  await t.test('a data folder that is a file', (t) =>
    refuses(t, { SENTINEL_DATA_DIR: file }, /cannot use the data folder .*file: it is a file/),
  );
  await t.test('a data folder below a file', (t) =>
    refuses(t, { SENTINEL_DATA_DIR: join(file, 'below') }, /cannot use the data folder .*not a folder/),
  );
  await t.test('a wrong variable', (t) =>
    refuses(
      t,
      { SENTINEL_DATA_DIR: dataDir, SENTINEL_PORT: 'eighty' },
      /SENTINEL_PORT: "eighty" cannot be used/,
    ),
  );
  await t.test('an unknown variable', (t) =>
    refuses(
      t,
      { SENTINEL_DATA_DIR: dataDir, SENTINEL_PROT: '80' },
      /SENTINEL_PROT.*did you mean SENTINEL_PORT\?/,
    ),
  );
  await t.test('a secret that is too short is not repeated', (t) =>
    refuses(t, { SENTINEL_DATA_DIR: dataDir, SENTINEL_SECRET: 'short' }, /^(?!.*"short").*SENTINEL_SECRET/),
  );
  await t.test('the folder of a running system; that one goes on', async (t) => {
    const node = await startedNode(t);
    await refuses(t, { SENTINEL_DATA_DIR: node.dataDir }, /another process uses the data folder/);
    t.equal((await call(node, 'GET', '/readyz')).status, 200);
    await node.kill();
    await node.start();
    t.equal((await call(node, 'GET', '/readyz')).status, 200, 'the lock of a killed process is gone');
  });
  await t.test('another master secret than before', async (t) => {
    const node = await startedNode(t);
    await node.stop();
    const secret = 'another secret of more than 32 characters';
    await refuses(t, { SENTINEL_DATA_DIR: node.dataDir, SENTINEL_SECRET: secret }, /key/);
  });
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} with streams open and reports in flight`, { timeout: FILE_MS }, async (t) => {
    const node = new Node(t);
    await node.start({}, OWN_GROUP);
    const admin = await founder(node);
    const agent = await deviceOf(admin);
    const names = Array.from({ length: 10 }, (_, i) => `file ${i}`);
    const files = Object.values(await addFiles(agent, Object.fromEntries(names.map((name) => [name, {}]))));
    const streams = [await openStream(t, admin), await openStream(t, admin)];
    const last = new Map<string, number>();
    const report = async (fileId: string) => {
      for (let n = 0; ; n += 1) {
        const versions = n === 0 ? [version('0')] : [version(String(n - 1)), version(String(n))];
        const change = n === 0 ? 'FIRST' : 'REPLACED';
        const answer = await agent.send(fileId, { change, versions }).catch(() => undefined);
        if (answer?.status !== 202) return;
        last.set(fileId, n);
      }
    };
    const reporting = Promise.all(files.map(report));
    await until('reports in flight', () => ([...last.values()].some((n) => n > 20) ? true : undefined));
    const { child } = node;
    const stopping = node.stop(signal);
    child.process.kill(signal);
    const { code, ms } = await stopping;
    t.equal(code, 0, `in time, and a second signal changes nothing: ${Math.round(ms)} ms`);
    t.ok(isGroupGone(child), 'no process is left');
    t.notMatch(child.stderr() + child.stdout(), /^ {4}at /m, 'no stack');
    await Promise.all(streams.map(({ ended }) => ended));
    await reporting;

    await node.start();
    for (const [fileId, n] of last) {
      const links = await linksOnce(agent, fileId, Math.min(n + 1, 500));
      t.ok(
        links.some(({ hash }) => hash === version(String(n)).hash),
        `accepted, so kept: ${n}`,
      );
      t.equal((await alertsOf(agent, fileId)).length, 0);
    }
    t.equal(last.size, files.length);
  });
}

t.test('a full log', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t, { SENTINEL_LOG_MAX_MIB: '2' });
  const admin = await founder(node);
  const agent = await deviceOf(admin);
  const { growing = '' } = await addFiles(agent, { growing: {} });
  const state = (n: number) => version(`state ${n}`);
  /** Index of the last accepted state. */
  let last = -1;
  const next = async () => {
    const versions = last < 0 ? [state(0)] : Array.from({ length: STEPS + 1 }, (_, i) => state(last + i));
    const answer = await agent.send(growing, { change: last < 0 ? 'FIRST' : 'REPLACED', versions });
    if (answer.status === 202) last += last < 0 ? 1 : STEPS;
    return answer;
  };
  const full = await until('a full log', async () => {
    const answer = await next();
    return answer.status === 202 ? undefined : answer;
  });
  t.match(full, { status: 503, body: { status: 503, code: 'NOT_DURABLE' } });
  t.ok(Number(full.headers.get('retry-after')) >= 1, 'Retry-After');
  t.equal((await call(node, 'GET', '/healthz')).status, 200);
  const unready = await until('a server that does not say that it is ready', async () => {
    await next();
    const answer = await call(node, 'GET', '/readyz');
    return answer.status === 503 ? answer : undefined;
  });
  const missing = unready.body['errors'] as { readonly path: string }[];
  t.ok(missing.some(({ path }) => path === 'disk space of the event log'));
  t.equal((await admin.api('GET', `/devices/${agent.path}`)).status, 200, 'reading works');
  const { code, ms } = await node.stop();
  t.equal(code, 0, `stops in time: ${Math.round(ms)} ms`);

  await node.start({ SENTINEL_LOG_MAX_MIB: '0' });
  t.equal((await next()).status, 202, 'there is room again');
  const links = await until('what was accepted', async () => {
    const links = await linksOf(agent, growing);
    return links[0]?.hash === state(last).hash ? links : undefined;
  });
  t.equal(links[0]?.number, last + 1, 'every accepted version has its link');
  t.equal((await alertsOf(agent, growing)).length, 0);
});
