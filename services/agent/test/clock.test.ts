import { appendFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { FILE_MS, stage, until, type Stage } from './agent-process.ts';
import { rowsIn } from './state-files.ts';

const DAY_MS = 86_400_000;
const PRELOAD = fileURLToPath(new URL('preload-clock.js', import.meta.url));

t.setTimeout(FILE_MS);

/** Makes the server refuse sequences more than a day ahead; `set` sets the error of the process's clock. */
function wrongClock({ path, server }: Stage): {
  env: Record<string, string>;
  set: (aheadMs: number) => void;
} {
  const file = path('clock');
  const set = (aheadMs: number): void => writeFileSync(file, String(aheadMs));
  set(0);
  server.judge = ({ sequence }) => (sequence > (Date.now() + DAY_MS) * 1_000 ? 'SEQUENCE_AHEAD' : undefined);
  return { env: { NODE_OPTIONS: `--import ${PRELOAD}`, SENTINEL_TEST_CLOCK: file }, set };
}

/** Checks that the reports' versions follow each other without a gap, and that no sequence is a day ahead. */
function inOrder(t: Test, { server }: Stage): void {
  let last = '';
  let before = 0;
  for (const { versions, sequence } of server.reports) {
    if (last !== '') t.equal(versions[0]?.hash, last);
    last = versions.at(-1)?.hash ?? last;
    t.ok(sequence > before && sequence < (Date.now() + DAY_MS) * 1_000, 'sequences rise, near the server');
    before = sequence;
  }
}

t.test('a clock that jumps three days ahead and back: every step arrives, the jumps are told', async (t) => {
  const scene = await stage(t, {});
  const { path, server, start, changes } = scene;
  const { env, set } = wrongClock(scene);
  writeFileSync(path('0.log'), '0\n');
  start(env);
  await until('FIRST', () => changes().includes('FIRST'));
  for (const [step, ahead] of [3 * DAY_MS, 0, -3 * DAY_MS, 0].entries()) {
    set(ahead);
    appendFileSync(path('0.log'), `${step}\n`);
    await until(`step ${step}`, () => changes().filter((one) => one === 'APPENDED').length === step + 1);
  }
  inOrder(t, scene);
  set(3 * DAY_MS);
  await until('the jump is told', () => server.events().some(({ code }) => code === 'CLOCK_JUMP'));
});

t.test('each file is looked at again after a jump ahead, which may have been a suspend', async (t) => {
  const scene = await stage(t, { type: 'PROBE', interval: 86_400 });
  const { path, start, changes } = scene;
  const { env, set } = wrongClock(scene);
  writeFileSync(path('0.log'), '0\n');
  start(env);
  await until('FIRST', () => changes().includes('FIRST'));
  appendFileSync(path('0.log'), '1\n');
  set(3_600_000);
  await until('the look', () => changes().length === 2);
});

t.test('each file is looked at again after a pause that only the server’s time shows', async (t) => {
  const { path, server, start, changes } = await stage(t, { type: 'PROBE', interval: 86_400 });
  writeFileSync(path('0.log'), '0\n');
  start();
  await until('FIRST', () => changes().includes('FIRST'));
  appendFileSync(path('0.log'), '1\n');
  server.aheadMs = 4 * 60_000;
  await until('the look', () => changes().length === 2);
  await until('it is told', () => server.events().some(({ code }) => code === 'CLOCK_JUMP'));
});

t.test(
  'a clock that is wrong at the start, before the server is heard: reports are renumbered',
  async (t) => {
    const scene = await stage(t, {});
    const { path, server, start, changes, state } = scene;
    const { env, set } = wrongClock(scene);
    writeFileSync(path('0.log'), '0\n');
    const first = start(env);
    await until('FIRST', () => changes().includes('FIRST'));
    await until('answered', () => rowsIn(state, 'report') === 0);
    await first.kill('SIGTERM');
    server.down = 'gone';
    set(3 * DAY_MS);
    appendFileSync(path('0.log'), 'while off\n');
    const second = start(env);
    const waiting = () => rowsIn(state, 'report');
    await until('a report waits', () => waiting() === 1);
    appendFileSync(path('0.log'), 'more\n');
    await until('another report waits', () => waiting() === 2);
    set(0);
    server.down = false;
    await until('both arrived', () => changes().filter((one) => one === 'APPENDED').length === 2);
    appendFileSync(path('0.log'), 'and more\n');
    await until('the next too', () => changes().filter((one) => one === 'APPENDED').length === 3);
    await until('told', () => server.events().some(({ code }) => code === 'RENUMBERED'));
    await until('answered', () => waiting() === 0);
    await second.kill('SIGTERM');
    start(env);
    await until('after a restart too', () => changes().at(-1) === 'UNCHANGED');
    inOrder(t, scene);
  },
);
