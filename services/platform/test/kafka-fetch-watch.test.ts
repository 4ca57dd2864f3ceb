import t from 'tap';
import { FetchWatch } from '../src/kafka/fetch-watch.ts';

const [A, B, C] = ['t/0', 't/1', 't/2'] as const;
const ALL = ['1', '2'];
const idle = (name: string) => ({ name, records: 0, isAtEnd: true });
const full = (name: string) => ({ name, records: 5, isAtEnd: false });
const empty = (name: string) => ({ name, records: 0, isAtEnd: false });

function watchAt() {
  let now = 0;
  const watch = new FetchWatch(() => now);
  const later = (ms: number): number => {
    now += ms;
    return watch.silentMs;
  };
  const fetch = (broker: string, ...answer: Parameters<FetchWatch['answers']>[1]): void => {
    watch.asks(broker, ALL);
    watch.answers(broker, answer);
  };
  return { watch, later, fetch };
}

t.test('without partitions nothing is owed, however long', async (t) => {
  const { watch, later, fetch } = watchAt();
  t.equal(later(1_000), 0, 'before the first join');
  watch.assign([]);
  t.equal(later(1_000), 0);
  fetch('1');
  watch.assign([A]);
  t.equal(watch.silentMs, 0, 'the time before counts for nothing');
  t.equal(later(300), 300);
});

t.test('empty answers at the end are fetches too', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  later(1_000);
  fetch('1', idle(A), idle(B));
  t.equal(watch.silentMs, 0);
});

t.test('one partition without an answer shows, whatever comes of the others', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  fetch('1', idle(A));
  fetch('2', idle(B));
  t.equal(watch.silentMs, 0);
  watch.asks('2', ALL);
  for (let n = 0; n < 10; n++) {
    later(1_000);
    fetch('1', full(A));
    watch.asks('2', ALL);
  }
  t.equal(watch.silentMs, 10_000);
  fetch('2', idle(B));
  t.equal(watch.silentMs, 0);
});

t.test('a member that joins again and again, and fetches nothing, shows', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  fetch('1', idle(A), idle(B));
  watch.asks('1', ALL);
  for (let n = 0; n < 10; n++) {
    later(1_000);
    watch.assign(n % 2 === 0 ? [A, C] : [B]);
    watch.asks('1', ALL);
    watch.ends();
  }
  t.equal(watch.silentMs, 10_000);
  watch.assign([A, C]);
  fetch('1', idle(A));
  t.equal(watch.silentMs, 10_000, 'a part of them');
  fetch('2', idle(C));
  t.equal(watch.silentMs, 0);
});

t.test('a partition that another member takes over is missed no more, the others are', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  later(1_000);
  fetch('1', idle(A));
  later(500);
  t.equal(watch.silentMs, 1_500);
  watch.asks('1', ALL);
  later(200);
  watch.assign([A]);
  t.equal(watch.silentMs, 200);
});

t.test('a partition that comes back after long counts from then on', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  fetch('1', idle(A), idle(B));
  watch.assign([A]);
  for (let n = 0; n < 10; n++) {
    later(60_000);
    fetch('1', idle(A));
  }
  watch.assign([A, B]);
  t.equal(watch.silentMs, 0);
  t.equal(later(300), 300);
});

t.test('records that are being handled hold up only the fetches of their broker', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B, C]);
  fetch('1', full(A), idle(B));
  fetch('2', idle(C));
  t.equal(later(60_000), 0, 'the last answer of each broker is all in hand');
  watch.asks('2', ALL);
  t.equal(later(1_000), 1_000, 'the other broker does not answer');
  watch.asks('1', ALL);
  t.equal(later(1_000), 2_000);
  fetch('1', idle(A), idle(B));
  fetch('2', idle(C));
  t.equal(watch.silentMs, 0);
});

t.test('what a broker that is gone gave is in hand no more', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  fetch('1', idle(A));
  fetch('2', full(B));
  t.equal(later(1_000), 0);
  watch.asks('1', ['1']);
  watch.answers('1', [idle(A)]);
  for (let n = 0; n < 3; n++) {
    later(1_000);
    watch.asks('1', ['1']);
    watch.answers('1', [idle(A)]);
  }
  t.equal(watch.silentMs, 3_000);
});

t.test('an empty answer before the end is no fetch, unless the answer was full', async (t) => {
  const { watch, later, fetch } = watchAt();
  watch.assign([A, B]);
  later(1_000);
  fetch('1', empty(A), idle(B));
  t.equal(watch.silentMs, 1_000);
  fetch('1', empty(A), full(B));
  t.equal(watch.silentMs, 0);
});
