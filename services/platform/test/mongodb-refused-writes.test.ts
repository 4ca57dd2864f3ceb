/** A server that answers heartbeats and reads, and refuses writes. */
import type { Document } from 'mongodb';
import t from 'tap';
import type { Test } from 'tap';
import { pino } from 'pino';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
import { ConflictError, NotDurableError } from '../src/ports/errors.ts';
import { startWireServer } from './mongo-wire.ts';
import { until } from './until.ts';

const LIMITS = { refusedWritesMs: 1_000, writeProbeMs: 50 };
/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const REFUSALS: Readonly<Record<string, Document>> = {
  'blocked writes': { ok: 0, code: 371, codeName: 'UserWritesBlocked', errmsg: 'User writes blocked' },
  'a full disk': { ok: 1, n: 0, writeErrors: [{ index: 0, code: 14_031, errmsg: 'no disk space' }] },
  'no majority': {
    ok: 1,
    n: 1,
    writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
  },
};
const PROBES = 'write_probe';

async function storeOn(t: Test) {
  const state: { refusal: Document | undefined; isOnlyOf: string | undefined } = {
    refusal: undefined,
    isOnlyOf: undefined,
  };
  const lines: string[] = [];
  const server = await startWireServer(t, { setName: 'rs' }, (command) => {
    const into: unknown = command['insert'] ?? command['update'];
    if ('listCollections' in command || 'listIndexes' in command)
      return { ok: 1, cursor: { id: 0n, ns: 'db.c', firstBatch: [] } };
    if (into === undefined) return undefined;
    const isRefused = state.isOnlyOf === undefined || state.isOnlyOf === into;
    return (isRefused ? state.refusal : undefined) ?? { ok: 1, n: 1, nModified: 1 };
  });
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const store = await openMongoDocumentStore({ url: server.url, log, limits: LIMITS });
  t.teardown(() => store.close());
  await store.ensure([{ name: 'c', indexes: [] }]);
  const probes = () => server.commands.filter((command) => command['update'] === PROBES);
  const isLogged = (text: string) => lines.some((line) => line.includes(text));
  return { store, state, probes, isLogged };
}

for (const [why, refusal] of Object.entries(REFUSALS))
  t.test(`a store that takes no writes for ${why} is told until it takes one`, async (t) => {
    const { store, state, probes, isLogged } = await storeOn(t);
    await store.insertUnique('c', { id: 'a' });
    t.ok(store.takesWrites());
    t.equal(probes().length, 0, 'while writes succeed nobody asks');
    state.refusal = refusal;
    await t.rejects(store.insertUnique('c', { id: 'b' }), NotDurableError);
    t.ok(store.takesWrites(), 'one refusal may pass');
    await until('it is told', () => !store.takesWrites());
    t.ok(store.reachable(), 'though its server answers');
    await until('it is logged', () => isLogged('the document store refuses writes'));
    state.refusal = undefined;
    await until('it takes writes, though nobody wrote', () => store.takesWrites());
    t.ok(isLogged('the document store takes writes'));
    t.match(probes()[0], { writeConcern: { w: 'majority', j: true } });
  });

t.test('a refusal that passes is asked after once, and told by nobody', async (t) => {
  const { store, state, probes } = await storeOn(t);
  state.refusal = REFUSALS['blocked writes'];
  await t.rejects(store.insertUnique('c', { id: 'a' }), NotDurableError);
  state.refusal = undefined;
  await until('asked', () => probes().length === 1);
  const asked = performance.now();
  await until('later', () => performance.now() - asked > 2 * LIMITS.refusedWritesMs);
  t.ok(store.takesWrites());
  t.equal(probes().length, 1);
});

t.test('a write of anybody that succeeds ends it', async (t) => {
  const { store, state } = await storeOn(t);
  state.refusal = REFUSALS['blocked writes'];
  await t.rejects(store.insertUnique('c', { id: 'a' }), NotDurableError);
  await until('it is told', () => !store.takesWrites());
  state.isOnlyOf = PROBES;
  await store.remove('c', []);
  t.notOk(store.takesWrites(), 'what asks nothing shows nothing');
  await store.insertUnique('c', { id: 'b' });
  t.ok(store.takesWrites());
});

t.test('a conflict is no refusal of the store', async (t) => {
  const { store, state, probes } = await storeOn(t);
  state.refusal = { ok: 1, n: 0, writeErrors: [{ index: 0, code: 11_000, errmsg: 'duplicate key' }] };
  await t.rejects(store.insertUnique('c', { id: 'a' }), ConflictError);
  const then = performance.now();
  await until('later', () => performance.now() - then > 2 * LIMITS.refusedWritesMs);
  t.ok(store.takesWrites());
  t.equal(probes().length, 0);
});
