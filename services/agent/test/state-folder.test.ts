import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { isStateInUse, lockState } from '../src/io/state-lock.ts';
import { FILE_MS, fileId, hashOf, stage, until } from './agent-process.ts';
import { rowsIn, spoil } from './state-files.ts';

t.setTimeout(FILE_MS);

t.test('two agents on one state folder: the second ends with one line, the first goes on', async (t) => {
  const { path, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  const first = start();
  await until('FIRST', () => changes().includes('FIRST'));
  const second = start();
  t.equal(await second.ended, 3);
  t.match(second.said(), /^sentinel agent: another agent is using the state folder [^\n]+\n$/);
  appendFileSync(path('0.log'), 'two\n');
  await until('APPENDED', () => changes().includes('APPENDED'));
  t.equal(first.code(), undefined);
  await first.kill();
  start();
  await until('the lock went with its process', () => changes().includes('UNCHANGED'));
});

t.test('a damaged file of the lock is emptied, and locks', async (t) => {
  const { state } = await stage(t, {});
  lockState(state)();
  writeFileSync(join(state, 'lock.db'), 'no database '.repeat(1_000));
  t.equal(isStateInUse(state), false);
  const unlock = lockState(state);
  t.throws(() => lockState(state), { code: 'STATE_IN_USE' });
  t.equal(isStateInUse(state), true);
  unlock();
});

t.test('a lock waits for a holder that ends', async (t) => {
  const WAIT_MS = 300;
  const { state } = await stage(t, {});
  const unlock = lockState(state);
  const module = new URL('../src/io/state-lock.js', import.meta.url).href;
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ lockState }) => {
      const begun = performance.now();
      try {
        lockState(workerData.state, 'agent', workerData.waitMs);
        parentPort.postMessage('locked too early');
      } catch ({ code }) {
        parentPort.postMessage({ code, waitedMs: performance.now() - begun });
      }
      lockState(workerData.state, 'agent', 120_000);
      parentPort.postMessage('locked');
    });`,
    { eval: true, workerData: { module, state, waitMs: WAIT_MS } },
  );
  t.teardown(() => worker.terminate());
  const [refused] = await once(worker, 'message');
  t.match(refused, { code: 'STATE_IN_USE' });
  t.ok(refused.waitedMs >= WAIT_MS, `waited ${refused.waitedMs} ms while the lock was held`);
  unlock();
  t.same(await once(worker, 'message'), ['locked']);
});

t.test('other users have no way into the state', async (t) => {
  const { path, state, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  mkdirSync(state, { recursive: true });
  const target = path('not-ours');
  writeFileSync(target, 'as it was');
  symlinkSync(target, join(state, 'status.json.part'));
  // A lock of the version before, which others could read.
  writeFileSync(join(state, 'lock.db'), '');
  chmodSync(join(state, 'lock.db'), 0o644);
  start();
  await until('FIRST', () => changes().includes('FIRST'));
  await until('the status is written', () => existsSync(join(state, 'status.json')));
  t.equal(statSync(join(state, 'lock.db')).mode & 0o777, 0o600);
  t.equal(readFileSync(target, 'utf8'), 'as it was');
});

t.test('one broken state is set aside and taken from the server; the others go on', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {}, {});
  for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
  const first = start();
  await until('FIRST', () => changes().length === 2);
  await until('answered', () => rowsIn(state, 'report') === 0);
  await first.kill();
  const [report] = server.reports.filter((one) => one.fileId === fileId(0));
  server.onRecord.set(fileId(0), { lastSequence: report!.sequence, ...report!.versions[0]! });
  spoil(state, `UPDATE kept SET text = '' WHERE owner = '${fileId(0)}' OR part = 'configuration'`);
  writeFileSync(path('0.log'), 'two\n');
  const second = start();
  await until('the other', () => changes(fileId(1)).includes('UNCHANGED'));
  await until('the change is seen', () => changes(fileId(0)).length === 2);
  matchWhole(
    t,
    server.reports.findLast((one) => one.fileId === fileId(0)),
    {
      change: 'REPLACED',
      versions: [{ hash: hashOf('two\n') }],
    },
  );
  // Two heartbeats may tell of them, or one.
  await until('told', () => server.events().some(({ code }) => code === 'STATE_RECOVERED'));
  matchList(t, server.events(), [
    { code: 'STATE_BROKEN', fileId: null, message: /configuration/ },
    { code: 'STATE_BROKEN', fileId: fileId(0) },
    { code: 'STATE_RECOVERED', fileId: fileId(0) },
  ]);
  t.equal(second.code(), undefined);
});

t.test('an older state goes on from the server’s record', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {});
  const run = async (text: string, change: string): Promise<void> => {
    writeFileSync(path('0.log'), text);
    const agent = start();
    await until(change, () => changes().includes(change));
    await until('answered', () => rowsIn(state, 'report') === 0);
    await agent.kill();
    const report = server.reports.at(-1)!;
    server.onRecord.set(fileId(0), { lastSequence: report.sequence, ...report.versions[0]! });
  };
  await run('one\n', 'FIRST');
  cpSync(state, path('older'), { recursive: true });
  await run('two\n', 'REPLACED');
  rmSync(state, { recursive: true });
  renameSync(path('older'), state);
  start();
  await until('told', () => server.events().some(({ code }) => code === 'STATE_RECOVERED'));
  await until('a look', () => changes().length > 2);
  t.same(changes(), ['FIRST', 'REPLACED', 'UNCHANGED'], 'the file is as the server knows it');
});

t.test('a state file that is broken as a whole is set aside, told, and taken from the server', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  const first = start();
  await until('FIRST', () => changes().length === 1);
  await until('answered', () => rowsIn(state, 'report') === 0);
  await first.kill();
  const [report] = server.reports;
  server.onRecord.set(fileId(0), { lastSequence: report!.sequence, ...report!.versions[0]! });
  writeFileSync(join(state, 'state-1.db'), Buffer.alloc(20_000, 'garbage'));
  writeFileSync(path('0.log'), 'two\n');
  start();
  await until('the change is seen', () => changes().length === 2);
  matchWhole(t, server.reports[1], {
    change: 'REPLACED',
    versions: [{ hash: hashOf('two\n') }],
  });
  await until('recovery is told', () => server.events().some(({ code }) => code === 'STATE_RECOVERED'));
  t.match(server.events()[0], { code: 'STATE_BROKEN', fileId: null, message: /set aside as broken-state-/ });
  t.strictSame(
    readdirSync(state).filter((name) => /^broken-.*\.db$/.test(name)),
    ['broken-state-1.db'],
  );
});

t.test('a state that is removed while the agent runs is told, and made anew with its lock', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {}, {});
  for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
  const agent = start();
  await until('FIRST', () => changes().length === 2);
  await until('answered', () => rowsIn(state, 'report') === 0);
  for (const report of server.reports)
    server.onRecord.set(report.fileId, { lastSequence: report.sequence, ...report.versions[0]! });
  // Out of the agent's way first: a file that it makes meanwhile would keep the folder from being removed.
  renameSync(state, path('removed'));
  rmSync(path('removed'), { recursive: true });
  // Nothing changes: the next heartbeat finds that the state is gone.
  await until('told', () => server.events().some(({ code }) => code === 'STATE_BROKEN'));
  t.match(server.events()[0], { fileId: null, message: /was removed or replaced/ });
  await until(
    'recovery',
    () => server.events().filter(({ code }) => code === 'STATE_RECOVERED').length === 2,
  );
  appendFileSync(path('0.log'), 'two\n');
  await until('it goes on', () => changes(fileId(0)).at(-1) === 'APPENDED');
  t.ok(rowsIn(state, 'memory') > 0, 'it is on disk');
  t.equal(await start().ended, 3, 'no other agent starts');
  t.equal(agent.code(), undefined);
});

t.test('the state of files that the server names no more is removed', async (t) => {
  const { path, state, server, start, changes, configuration } = await stage(t, {}, {});
  for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
  start();
  await until('FIRST', () => changes().length === 2);
  server.configuration = { ...configuration, files: configuration.files.slice(1) };
  server.configVersion = 2;
  await until('it is gone', () => rowsIn(state, 'memory', fileId(0)) === 0);
  await until('the other stays', () => rowsIn(state, 'memory', fileId(1)) === 1);
});
