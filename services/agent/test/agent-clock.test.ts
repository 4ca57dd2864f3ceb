import t from 'tap';
import { AgentClock } from '../src/clock.ts';

const DAY_MS = 86_400_000;

function madeClock() {
  const at = { wall: 1_000_000, steady: 5_000 };
  const clock = new AgentClock({ wallMs: () => at.wall, steadyMs: () => at.steady });
  return { at, clock };
}

t.test(
  'given a suspend, then the age of a look has the time of it, and the steady clock has not',
  async (t) => {
    const { at, clock } = madeClock();
    const before = clock.elapsedMs();
    at.wall += DAY_MS;
    at.steady += 1_000;
    t.equal(clock.elapsedMs() - before, DAY_MS);
    t.equal(clock.jumpMs(), DAY_MS - 1_000);
    t.equal(clock.jumpMs(), 0, 'told once');
  },
);

t.test('given a jump ahead and back that were both taken, then the jump is told', async (t) => {
  const { at, clock } = madeClock();
  at.wall += 3 * DAY_MS;
  clock.elapsedMs();
  at.wall -= 3 * DAY_MS;
  clock.elapsedMs();
  t.equal(clock.jumpMs(), 3 * DAY_MS, 'each look seems three days old, so all have to be made again');
});

t.test('given a clock that is set back, then no look seems younger', async (t) => {
  const { at, clock } = madeClock();
  const before = clock.elapsedMs();
  at.wall -= DAY_MS;
  t.equal(clock.elapsedMs(), before);
  t.equal(clock.jumpMs(), -DAY_MS);
});

t.test(
  'given a machine whose clocks both stood still, then the server’s time makes looks older',
  async (t) => {
    const { at, clock } = madeClock();
    const looked = clock.elapsedMs();
    clock.recordHeartbeat(9_000_000, clock.elapsedMs());
    const HOURS = 8 * 3_600_000;
    const asked = clock.elapsedMs();
    at.wall += 100;
    at.steady += 100;
    clock.recordHeartbeat(9_000_000 + HOURS, asked);
    t.equal(clock.elapsedMs() - looked, HOURS);
    t.equal(clock.jumpMs(), HOURS - 100);
    for (const ms of [10_000, 20_000]) {
      at.wall += 10_000;
      at.steady += 10_000;
      clock.recordHeartbeat(9_000_000 + HOURS + ms, clock.elapsedMs());
    }
    t.equal(clock.jumpMs(), 0, 'told once');
  },
);

t.test('given a suspend that the machine’s clock shows, then the server’s time adds nothing', async (t) => {
  const { at, clock } = madeClock();
  clock.recordHeartbeat(9_000_000, clock.elapsedMs());
  const before = clock.elapsedMs();
  at.wall += DAY_MS;
  clock.recordHeartbeat(9_000_000 + DAY_MS, clock.elapsedMs());
  t.equal(clock.elapsedMs() - before, DAY_MS);
  t.equal(clock.jumpMs(), DAY_MS);
});

t.test('given answers that come late, or no time in one, then nothing jumped', async (t) => {
  const { at, clock } = madeClock();
  let asked = clock.elapsedMs();
  const pass = (ms: number): void => {
    at.wall += ms;
    at.steady += ms;
  };
  pass(30_000);
  clock.recordHeartbeat(9_000_000, asked);
  asked = clock.elapsedMs();
  pass(1);
  clock.recordHeartbeat(9_000_000 + 30_000, asked);
  asked = clock.elapsedMs();
  clock.recordHeartbeat(Number.NaN, asked);
  pass(45_000);
  clock.recordHeartbeat(9_000_000 + 30_001, asked);
  asked = clock.elapsedMs();
  clock.recordHeartbeat(9_000_000 + 75_001, asked);
  t.equal(clock.jumpMs(), 0);
  clock.recordHeartbeat(9_000_000 + 85_001, asked);
  t.equal(clock.jumpMs(), 10_000);
});
