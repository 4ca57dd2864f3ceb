/** Notices of the agent, when the state cannot be written. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { Notices } from '../src/notices.ts';
import { FailureMark } from '../src/state/failure-mark.ts';
import type { StateStore } from '../src/state/store.ts';

/** A store that keeps the text of the notices, and refuses while it is full; then it cannot be read either. */
function storeOf() {
  const store = { isFull: false, kept: '[]' };
  const commit: StateStore['commit'] = (_owner, [change]) => {
    if (store.isFull) return Promise.reject(new Error('ENOSPC'));
    if (change?.do === 'put') store.kept = change.text;
    return Promise.resolve();
  };
  const text: StateStore['text'] = () => {
    if (store.isFull) throw new Error('ENOSPC');
    return store.kept;
  };
  const keepOnly: StateStore['keepOnly'] = () => Promise.resolve();
  return Object.assign(store, { commit, text, keepOnly, epoch: 0, rows: () => [], owners: () => [] });
}

/** Notices of an agent whose mark is in the folder. */
function noticesOf(t: Test, store: StateStore, folder = folderOf(t), steadyMs = (): number => 0): Notices {
  const mark = new FailureMark(folder);
  const notices = new Notices({ store, mark, wallMs: () => AT, steadyMs, onNew: () => undefined });
  t.teardown(() => notices.close());
  return notices;
}

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-notices-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const AT = Date.parse('2026-03-01T10:00:00.000Z');

t.test('a notice that could not be kept is no durable one, and is kept when there is room', async (t) => {
  const store = storeOf();
  const notices = noticesOf(t, store);
  store.isFull = true;
  notices.add('FILE_KIND', 'a link');
  await t.rejects(notices.durable(), /ENOSPC/);
  await t.rejects(notices.durable(), /ENOSPC/, 'it is tried again');
  t.equal(store.kept, '[]');
  store.isFull = false;
  await notices.durable();
  t.match(store.kept, /FILE_KIND/);
  await t.resolves(notices.durable());
});

t.test('a heartbeat takes the oldest notices', async (t) => {
  const notices = noticesOf(t, storeOf());
  for (let n = 0; n < 150; n += 1) notices.add('FILE_KIND', `${n}`, `${n}`);
  t.equal(notices.toSend().length, 100);
  t.equal(notices.toSend()[0]?.message, '0');
  notices.removeAccepted(notices.toSend());
  t.equal(notices.toSend().length, 50);
  t.equal(notices.toSend()[0]?.message, '100');
});

t.test('what happens again within a minute is told later: the server would drop it', (t) => {
  let nowMs = 0;
  const notices = noticesOf(t, storeOf(), folderOf(t), () => nowMs);
  const told = (): string[] => notices.toSend().map(({ message }) => message);
  notices.add('FILE_KIND', 'a link to a.', 'one');
  const first = notices.toSend();
  notices.add('FILE_KIND', 'a link to b.', 'one');
  notices.add('FILE_KIND', 'a link to c.', 'one');
  notices.add('FILE_KIND', 'a link.', 'two');
  t.strictSame(
    told(),
    ['a link to a.', 'a link.'],
    'one of each file; the one that was sent stays as it was',
  );
  notices.removeAccepted(first);
  t.strictSame(told(), ['a link.']);
  t.equal(notices.hasNext, true);
  t.equal(notices.held, 1);
  nowMs = 70_000;
  t.equal(notices.held, 0);
  t.strictSame(told(), ['a link to b. a link to c.', 'a link.'], 'nothing is left out');
  notices.removeAccepted(notices.toSend());
  t.equal(notices.hasNext, false);
  t.end();
});

t.test('of messages that are too long together the later one is whole', (t) => {
  const notices = noticesOf(t, storeOf());
  notices.add('ARCHIVE_REMOVED', 'a'.repeat(400));
  notices.add('ARCHIVE_REMOVED', 'b'.repeat(400));
  t.equal(notices.toSend()[0]?.message, `…${'a'.repeat(98)} ${'b'.repeat(400)}`);
  t.end();
});

t.test('the notices of the last run outlast a start on a full disk', async (t) => {
  const store = storeOf();
  store.kept = JSON.stringify([{ code: 'FILE_KIND', message: 'a link', fileId: null }]);
  store.isFull = true;
  const notices = noticesOf(t, store);
  t.throws(() => notices.load(), /ENOSPC/);
  notices.add('SPOOL_FAILING', 'no room');
  await t.rejects(notices.durable(), /ENOSPC/);
  store.isFull = false;
  notices.saveAgain();
  await notices.durable();
  matchList(t, notices.toSend(), [{ code: 'FILE_KIND' }, { code: 'SPOOL_FAILING' }]);
  t.match(JSON.parse(store.kept), notices.toSend());
});

t.test('notices that were not saved are saved without a new one, once there is room', async (t) => {
  const store = storeOf();
  const notices = noticesOf(t, store);
  store.isFull = true;
  notices.add('SPOOL_FAILING', 'no room');
  await t.rejects(notices.durable());
  store.isFull = false;
  notices.saveAgain();
  await notices.close();
  t.match(store.kept, /SPOOL_FAILING/);
});

t.test('the next run tells that the last one could not save its notices, once', async (t) => {
  const [folder, store] = [folderOf(t), storeOf()];
  const run = (): Notices => {
    const notices = noticesOf(t, store, folder);
    notices.load();
    return notices;
  };
  const first = run();
  store.isFull = true;
  first.add('SPOOL_FAILING', 'no room');
  await t.rejects(first.durable());
  await first.close();
  store.isFull = false;
  const second = run();
  matchList(t, second.toSend(), [
    { code: 'SPOOL_FAILED', fileId: null, message: /^From 2026-03-01T10:00:00.000Z .*\(error\)/ },
  ]);
  await second.durable();
  second.removeAccepted(second.toSend());
  await second.close();
  t.same(run().toSend(), []);
});

t.test('a mark that is not whole is told, an empty one is not', (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'failure');
  for (const [text, code] of [
    ['', undefined],
    [' '.repeat(512), undefined],
    ['\0'.repeat(512), undefined],
    ['{"since":"2026-', 'unknown'],
    ['{"since":1}', 'unknown'],
  ] as const) {
    writeFileSync(path, text);
    const mark = new FailureMark(folder);
    t.equal(mark.open()?.code, code, text.slice(0, 20));
    mark.close();
  }
  t.end();
});

t.test('the space of the mark is taken before it is needed, and the first failure stays', (t) => {
  const folder = folderOf(t);
  const mark = new FailureMark(folder);
  t.equal(mark.open(), undefined);
  t.equal(statSync(join(folder, 'failure')).size, 512);
  mark.set(Object.assign(new Error('full'), { code: 'ENOSPC' }), AT);
  mark.set(Object.assign(new Error('gone'), { code: 'EIO' }), AT + 1);
  mark.close();
  t.equal(statSync(join(folder, 'failure')).size, 512);
  const left = { since: '2026-03-01T10:00:00.000Z', code: 'ENOSPC' };
  t.same(new FailureMark(folder).open(), left);
  t.end();
});

t.test('kept notices of another form are left out and told, the others stay', async (t) => {
  const good = { code: 'FILE_KIND', message: 'a link', fileId: null };
  const cases: readonly (readonly [kept: string, codes: readonly string[]])[] = [
    [JSON.stringify([good]), ['FILE_KIND']],
    ['{', ['STATE_BROKEN']],
    ['{}', ['STATE_BROKEN']],
    ['null', ['STATE_BROKEN']],
    [JSON.stringify([good, 5, null, {}]), ['FILE_KIND', 'STATE_BROKEN']],
    [JSON.stringify([{ ...good, code: 'no code' }, good]), ['FILE_KIND', 'STATE_BROKEN']],
    [JSON.stringify([{ ...good, fileId: 'x' }]), ['STATE_BROKEN']],
  ];
  for (const [kept, codes] of cases) {
    const notices = noticesOf(t, Object.assign(storeOf(), { kept }));
    notices.load();
    t.same(
      notices.pending.map(({ code }) => code),
      codes,
      kept,
    );
  }
});
