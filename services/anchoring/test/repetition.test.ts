import { LogUnavailableError, type Log, type Repeating } from '@sentinel-node/platform';
import t from 'tap';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { Repetition } from '../src/repetition.ts';

/** Returns a repetition whose turns the test makes, and its log. */
function given() {
  const said: string[] = [];
  const turns: (() => Promise<void>)[] = [];
  const paces: number[] = [];
  let stopped = 0;
  const say = (_: object, message: string) => void said.push(message);
  const every = (ms: number, task: () => Promise<void>): Repeating => {
    paces.push(ms);
    let fail: (error: unknown) => void;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    turns.push(() => task().catch((error: unknown) => fail(error)));
    return { failed, stop: () => Promise.resolve(void (stopped += 1)) };
  };
  const work = new Repetition({
    log: { warn: say, fatal: say } as unknown as Log,
    timers: { every },
    categoryIntervalSeconds: { STANDARD: 3_600, ADVANCED: 600, MISSION_CRITICAL: 60 },
  });
  return { work, said, turns, paces, stopped: () => stopped };
}

t.test('each step is repeated by itself until all are stopped', async (t) => {
  const { work, turns, paces, stopped } = given();
  t.notOk(work.isRunning);
  const done: string[] = [];
  work.start(
    async () => void done.push('cut'),
    async () => void done.push('anchor'),
  );
  t.ok(work.isRunning);
  t.strictSame(paces, [ANCHORING_LIMITS.tickMs, ANCHORING_LIMITS.tickMs]);
  await turns[1]!();
  await turns[0]!();
  await turns[0]!();
  t.strictSame(done, ['anchor', 'cut', 'cut']);
  await work.stop();
  t.notOk(work.isRunning);
  t.equal(stopped(), 2);
});

t.test('what passes is told, and the next turn comes', async (t) => {
  const { work, said, turns } = given();
  work.start(() => Promise.reject(new LogUnavailableError('no broker')));
  await turns[0]!();
  await turns[0]!();
  t.strictSame(said, ['anchoring waits', 'anchoring waits']);
  t.ok(work.isRunning);
});

t.test('anything else is the end', async (t) => {
  const { work, said, turns } = given();
  const surprise = new Error('two cuts of one batch');
  work.start(
    () => Promise.reject(surprise),
    () => Promise.resolve(),
  );
  await turns[0]!();
  await t.rejects(work.failed, surprise);
  t.strictSame(said, ['anchoring has stopped']);
  t.notOk(work.isRunning);
});
