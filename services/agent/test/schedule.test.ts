import t from 'tap';
import { Schedule } from '../src/schedule.ts';

/** Returns a schedule whose time the test moves. */
function scene() {
  const state = { nowMs: 1_000, act: undefined as (() => void) | undefined, atMs: Infinity, timers: 0 };
  const schedule = new Schedule({
    nowMs: () => state.nowMs,
    after: (ms, act) => {
      state.timers += 1;
      state.act = act;
      state.atMs = state.nowMs + Math.max(0, ms);
      return () => {
        if (state.act === act) Object.assign(state, { act: undefined, atMs: Infinity });
      };
    },
  });
  let wakes = 0;
  /** Moves the time to `ms` and runs each timer on the way. */
  const passTo = (ms: number): void => {
    for (; state.atMs <= ms; wakes += 1) {
      state.nowMs = Math.max(state.nowMs, state.atMs);
      const { act } = state;
      Object.assign(state, { act: undefined, atMs: Infinity });
      act?.();
    }
    state.nowMs = ms;
  };
  const ran: string[] = [];
  const due = (name: string, more: () => void = () => undefined) => ({
    run: (): void => {
      ran.push(`${name} ${state.nowMs}`);
      more();
    },
  });
  return { state, schedule, passTo, ran, due, wakes: () => wakes };
}

t.test('each runs once, no earlier than it is due, and no later than a step', (t) => {
  const { schedule, passTo, ran, due } = scene();
  schedule.plan(due('later'), 61_000);
  schedule.plan(due('soon'), 1_033);
  schedule.plan(due('past'), 500);
  passTo(1_030);
  t.same(ran, ['past 1000']);
  passTo(62_000);
  t.same(ran, ['past 1000', 'soon 1040', 'later 61000']);
  t.end();
});

t.test('what is taken back does not run, and nothing planned takes no timer', (t) => {
  const { state, schedule, passTo, ran, due } = scene();
  const one = due('one');
  const other = due('other');
  const tick = schedule.plan(one, 2_000);
  schedule.plan(other, 2_000);
  schedule.cancel(one, tick);
  schedule.cancel(one, tick);
  passTo(3_000);
  t.same(ran, ['other 2000']);
  t.equal(state.act, undefined);
  t.end();
});

t.test('one that plans itself again, earlier than what is planned, runs in its time', (t) => {
  const { state, schedule, passTo, ran, due } = scene();
  schedule.plan(due('far'), 90_000);
  const again = due('again', () => void (state.nowMs < 2_500 && schedule.plan(again, state.nowMs + 500)));
  schedule.plan(again, 1_500);
  passTo(100_000);
  t.same(ran, ['again 1500', 'again 2000', 'again 2500', 'far 90000']);
  t.end();
});

t.test('many that plan themselves again in one turn set one timer together', (t) => {
  const { state, schedule, passTo, ran, due } = scene();
  const all = Array.from({ length: 20 }, (_, n) => {
    const one = due(String(n), () => void (state.nowMs < 2_500 && schedule.plan(one, 5_000 - n * 100)));
    return one;
  });
  for (const one of all) schedule.plan(one, 2_000);
  state.timers = 0;
  passTo(2_000);
  t.equal(ran.length, 20);
  t.equal(state.timers, 1);
  passTo(5_000);
  t.same(
    ran.slice(20),
    all.map((_, n) => `${19 - n} ${3_100 + n * 100}`),
  );
  t.end();
});

t.test('many that are due at once have turns of their own, in their order, after a long pause too', (t) => {
  const { state, schedule, passTo, ran, due, wakes } = scene();
  for (let n = 0; n < 100; n += 1) schedule.plan(due(String(n)), 2_000 + n);
  state.nowMs = 10_000_000;
  passTo(10_000_000);
  t.equal(ran.length, 100);
  t.equal(ran[99], '99 10000000');
  t.ok(wakes() >= 4, `${wakes()} turns`);
  t.end();
});

t.test('it is behind while more is due than one turn runs', (t) => {
  const { schedule, state, passTo, due } = scene();
  const seen: boolean[] = [];
  for (let n = 0; n < 65; n += 1) schedule.plan(due(String(n)), state.nowMs);
  t.equal(schedule.isBehind, false, 'nothing is due yet');
  for (let turn = 0; turn < 3; turn += 1) {
    const { act } = state;
    Object.assign(state, { act: undefined, atMs: Infinity, nowMs: 1_010 });
    act?.();
    seen.push(schedule.isBehind);
  }
  t.same(seen, [true, true, false]);
  passTo(2_000);
  t.end();
});
