/** Notices of the agent, when the state cannot be written. */
import t from 'tap';
import { Notices } from '../src/notices.ts';
import type { StateStore } from '../src/state/store.ts';

/** A store that keeps the text of the notices, and refuses while it is full. */
function storeOf() {
  const store = { isFull: false, kept: '[]' };
  const commit: StateStore['commit'] = (_owner, [change]) => {
    if (store.isFull) return Promise.reject(new Error('ENOSPC'));
    if (change?.do === 'put') store.kept = change.text;
    return Promise.resolve();
  };
  const text: StateStore['text'] = () => store.kept;
  return Object.assign(store, { commit, text, epoch: 0, rows: () => [], owners: () => [] });
}

t.test('a notice that could not be kept is no durable one, and is kept when there is room', async (t) => {
  const store = storeOf();
  const notices = new Notices(store, () => undefined);
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
  const notices = new Notices(storeOf(), () => undefined);
  for (let n = 0; n < 150; n += 1) notices.add('FILE_KIND', `${n}`, `${n}`);
  t.equal(notices.next.length, 100);
  t.equal(notices.next[0]?.message, '0');
  notices.removeAccepted(notices.next);
  t.equal(notices.next.length, 50);
  t.equal(notices.next[0]?.message, '100');
});
