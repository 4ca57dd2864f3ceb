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
