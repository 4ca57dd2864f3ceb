/** Tests that processes tell each other of refused files through the store, whatever their clocks say. */
import t, { type Test } from 'tap';
import { LIMITS } from '@sentinel-node/contracts';
import { silentLog, type DocumentStore } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { INGESTION_LIMITS } from '../src/limits.ts';
import { RefusedFiles } from '../src/refused-files.ts';
import { NOW, startWorld } from './support.ts';

const TEN_MINUTES_MS = 600_000;
const ORG = 'an organisation';

async function processOn(t: Test, store: Pick<DocumentStore, 'bulkUpsert' | 'find'>, aheadMs = 0) {
  const clock = new ManualClock(NOW + aheadMs);
  let exchange = () => Promise.resolve();
  let endWait = (): void => undefined;
  const files = new RefusedFiles({
    ...{ store, clock, log: silentLog() },
    limits: { ...INGESTION_LIMITS, refusedFiles: 4, refusedFilesTold: 2 },
    timers: {
      every: (_, task) => {
        exchange = task;
        return { stop: () => Promise.resolve(), failed: new Promise(() => undefined) };
      },
      delay: () => new Promise((resolve) => (endWait = () => resolve())),
    },
  });
  await files.start();
  return { files, clock, exchange: () => exchange(), endWait: () => endWait() };
}

t.test('clocks ten minutes apart, each way', async (t) => {
  const { store } = await startWorld(t);
  const [early, right, late] = [
    await processOn(t, store, -TEN_MINUTES_MS),
    await processOn(t, store),
    await processOn(t, store, TEN_MINUTES_MS),
  ];
  const all = [early, right, late];
  const exchange = async () => {
    for (const one of [...all, ...all]) await one.exchange();
  };
  for (const [at, { files, clock }] of all.entries()) {
    files.refused(ORG, `file ${at}`, clock.now());
    await exchange();
    t.same(
      all.map(({ files }) => files.refusedAt(`file ${at}`)),
      all.map(() => clock.now()),
    );
  }
  right.files.accepted('file 2', right.clock.now());
  await exchange();
  t.same(
    all.map(({ files }) => files.refusedAt('file 2')),
    [undefined, undefined, undefined],
    'a report that was taken counts, though its time is before the refusal',
  );
  right.files.accepted('file 3', right.clock.now());
  t.equal(right.files.size, 2, 'of a file that was not refused there is nothing to tell');
});

t.test('many changes, a new process, and a store that fails', async (t) => {
  const { store } = await startWorld(t);
  let isFull = false;
  const flaky: Pick<DocumentStore, 'bulkUpsert' | 'find'> = {
    bulkUpsert: (...given) => (isFull ? Promise.reject(new Error('full')) : store.bulkUpsert(...given)),
    find: (...given) => store.find(...given),
  };
  const first = await processOn(t, flaky);
  for (let n = 0; n < 5; n += 1) first.files.refused(ORG, `file ${n}`, NOW + n);
  t.equal(first.files.size, 4, 'the oldest gives way');
  isFull = true;
  await first.exchange();
  t.equal(await store.count('refused_files'), 0);
  isFull = false;
  await first.exchange();
  t.equal(await store.count('refused_files'), 2, 'as many as one exchange writes');
  await first.exchange();
  t.equal(await store.count('refused_files'), 4);
  const second = await processOn(t, store);
  t.same(
    [0, 1, 2, 3, 4].map((n) => second.files.refusedAt(`file ${n}`)),
    [undefined, NOW + 1, NOW + 2, NOW + 3, NOW + 4],
    'a new process knows all at once',
  );
  const third = await processOn(t, store);
  for (let n = 0; n < 4; n += 1) first.files.refused(ORG, `other ${n}`, NOW + 9);
  for (let n = 0; n < 2; n += 1) await first.exchange();
  await third.exchange();
  t.same(
    [0, 1, 2, 3].map((n) => third.files.refusedAt(`other ${n}`)),
    [NOW + 9, NOW + 9, NOW + 9, NOW + 9],
    'many refused at one time are all told',
  );
});

t.test('a process that stops tells first, and waits for no store that hangs', async (t) => {
  const { store } = await startWorld(t);
  const first = await processOn(t, store);
  for (let n = 0; n < 3; n += 1) first.files.refused(ORG, `file ${n}`, NOW + n);
  await first.files.stop();
  const second = await processOn(t, store);
  t.same(
    [0, 1, 2].map((n) => second.files.refusedAt(`file ${n}`)),
    [NOW, NOW + 1, NOW + 2],
  );
  const third = await processOn(t, {
    find: (...given) => store.find(...given),
    bulkUpsert: () => new Promise(() => undefined),
  });
  third.files.refused(ORG, 'file 4', NOW);
  const stopping = third.files.stop();
  third.endWait();
  await stopping;
});

t.test('an organisation with many refused files hides none of another one', async (t) => {
  const { store } = await startWorld(t);
  const [first, second] = [await processOn(t, store), await processOn(t, store)];
  first.files.refused('quiet', 'its file', NOW);
  for (let n = 0; n < 9; n += 1) first.files.refused('loud', `file ${n}`, NOW + 1 + n);
  first.files.refused('late', 'another file', NOW + 20);
  t.equal(first.files.size, 4);
  t.equal(first.files.refusedAt('its file'), NOW);
  await first.exchange();
  await second.exchange();
  t.equal(second.files.refusedAt('its file'), NOW, 'it is told in its turn');
  first.files.accepted('its file', NOW + 30);
  for (let n = 0; n < 2; n += 1) await first.exchange();
  await second.exchange();
  t.equal(second.files.refusedAt('its file'), undefined);
  t.equal(second.files.refusedAt('another file'), NOW + 20);
  const old = { id: 'old file', rev: NOW - 1, isRefused: true, orgId: 'quiet' };
  await store.bulkUpsert('refused_files', [old]);
  const third = await processOn(t, store);
  t.equal(third.files.refusedAt('old file'), NOW - 1, 'nor after a start');
});

t.test('a new process reads past files of which a report was taken since', async (t) => {
  const { store } = await startWorld(t);
  const taken = Array.from({ length: LIMITS.findDocuments }, (_, n) => ({
    ...{ id: `taken ${n}`, rev: NOW + 10 + (n % 3), isRefused: false },
  }));
  const refused = [3, 2, 1].map((n) => ({ id: `refused ${n}`, rev: NOW + n, isRefused: true }));
  for (let at = 0; at < taken.length; at += 1_000)
    await store.bulkUpsert('refused_files', taken.slice(at, at + 1_000));
  await store.bulkUpsert('refused_files', refused);
  const { files } = await processOn(t, store);
  t.same(
    refused.map(({ id }) => files.refusedAt(id)),
    refused.map(({ rev }) => rev),
  );
});

t.test(
  'given more changes of one moment than one read returns, then a new process learns of all',
  async (t) => {
    const { store } = await startWorld(t);
    const taken = Array.from({ length: 2 * LIMITS.findDocuments }, (_, n) => ({
      ...{ id: `file ${String(n).padStart(6, '0')}`, rev: NOW, isRefused: false },
    }));
    const refused = ['file 010500x', 'file 019999x'].map((id) => ({ id, rev: NOW, isRefused: true }));
    const later = { id: 'later', rev: NOW + 1, isRefused: true };
    for (let at = 0; at < taken.length; at += 1_000)
      await store.bulkUpsert('refused_files', taken.slice(at, at + 1_000));
    await store.bulkUpsert('refused_files', [...refused, later]);
    const { files } = await processOn(t, store);
    t.same(
      [...refused, later].map(({ id }) => files.refusedAt(id)),
      [NOW, NOW, NOW + 1],
    );
  },
);

t.test(
  'given more changes in the overlap than one read returns, then those of a clock that is behind are learned too',
  async (t) => {
    const { store } = await startWorld(t);
    const { files, exchange } = await processOn(t, store);
    const taken = Array.from({ length: LIMITS.findDocuments }, (_, n) => ({
      ...{ id: `taken ${n}`, rev: NOW + (n % 7), isRefused: false },
    }));
    for (let at = 0; at < taken.length; at += 1_000)
      await store.bulkUpsert('refused_files', taken.slice(at, at + 1_000));
    const late = (n: number) => ({ id: `late ${n}`, rev: NOW - TEN_MINUTES_MS + n, isRefused: true });
    await store.bulkUpsert('refused_files', [late(1)]);
    await exchange();
    t.equal(files.refusedAt('late 1'), late(1).rev);
    await store.bulkUpsert('refused_files', [late(2)]);
    for (let n = 0; n <= INGESTION_LIMITS.refusedFilesAllEvery; n += 1) await exchange();
    t.equal(files.refusedAt('late 2'), late(2).rev, 'all are read again, though not by each exchange');
  },
);
