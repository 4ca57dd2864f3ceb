/** Tests costly expressions: refused by size, checked off the main thread, a bounded number in a request. */
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { LIMITS } from '@sentinel-node/contracts';
import { RegexpCheck } from '../src/devices/regexps/regexp-check.ts';
import { REGEXP_WORK } from '../src/devices/regexps/limits.ts';
import { RegexpThread } from '../src/devices/regexps/regexp-thread.ts';
import { createWorld, DEVICE, FILE } from './world.ts';

const rolled = (path: string, rolledFilenameRegexp: string) => ({
  ...FILE,
  path,
  rolled: true,
  rolledFilenameRegexp,
});

t.test('expressions of a request', async (t) => {
  const world = await createWorld(t);
  const acme = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'olga@example.org');
  const { body: device } = await acme.call('POST', `/devices/${acme.orgId}`, DEVICE);
  const path = `/devices/files/${acme.orgId}/${device.id}`;
  const put = (files: readonly unknown[]) => acme.call('PUT', path, { files });

  t.test(
    'a bomb in each of 40 files is refused by its size, and another organisation is answered',
    async (t) => {
      const bomb = 'x{1000}'.repeat(71);
      const files = Array.from({ length: 40 }, (_, n) => rolled(`log${n}`, bomb.replace('x', String(n))));
      const [refused, seen] = await Promise.all([put(files), other.call('GET', `/devices/${other.orgId}`)]);
      t.equal(seen.status, 200);
      t.equal(refused.status, 422);
      const [first] = refused.body.errors;
      t.equal(first.path, '/files/0/rolledFilenameRegexp');
      t.match(first.message, /too large/);
      t.match(first.message, String(LIMITS.regexpProgramSteps));
    },
  );

  t.test(
    'a bounded number of different ones in a request, those that stand already do not count',
    async (t) => {
      const many = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => rolled(`app${from + n}.log`, `app${from + n}\\.log\\.\\d+`));
      const tooMany = await put(many(0, LIMITS.regexpsPerRequest + 1));
      t.equal(tooMany.status, 422);
      t.equal(tooMany.body.errors[0].path, `/files/${LIMITS.regexpsPerRequest}/rolledFilenameRegexp`);
      t.match(tooMany.body.errors[0].message, /200 different expressions/);
      t.equal((await put(many(0, LIMITS.regexpsPerRequest))).status, 200);
      const { body } = await acme.call('GET', `/devices/${acme.orgId}/${device.id}`);
      const present = body.files.map(({ id, path, rolledFilenameRegexp }: Record<string, string>) => ({
        id,
        ...rolled(path!, rolledFilenameRegexp!),
      }));
      t.equal((await put([...present, ...many(1_000, 1)])).status, 200);
      const same = Array.from({ length: 300 }, (_, n) => rolled(`same${n}`, 'same\\.\\d+'));
      t.equal((await put(same)).status, 200, 'equal ones count once');
    },
  );

  t.test('an unknown device is 404 whatever the expression', async (t) => {
    const unknown = `/devices/files/${acme.orgId}/00000000-0000-7000-8000-000000000000`;
    const { status } = await acme.call('PUT', unknown, { files: [rolled('a', '(')] });
    t.equal(status, 404);
  });

  t.test('what is no RE2 syntax is refused with its place', async (t) => {
    for (const wrong of ['(', 'a(?=b)', '(a)\\1']) {
      const { status, body } = await put([rolled('right', 'a'), rolled('wrong', wrong)]);
      t.equal(status, 422, wrong);
      matchList(t, body.errors, [{ path: '/files/1/rolledFilenameRegexp', message: /RE2/ }]);
    }
  });
});

/** A thread that hangs at two expressions for ever, busy and asleep, and calls every other expression valid. */
const HANGING = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (pattern) => {
      while (pattern === 'busy');
      if (pattern === 'asleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      parentPort.postMessage(true);
    });
    parentPort.postMessage('ready');
  `)}`,
);

/** Longer than a busy machine takes for a harmless expression. */
const DEADLINE_MS = 3_000;

t.test('a thread that hangs is ended and replaced, and the next expression is answered', async (t) => {
  const check = new RegexpCheck({ ...REGEXP_WORK, tries: 2 }, new RegexpThread(DEADLINE_MS, HANGING));
  t.teardown(() => check.stop());
  const hanging = check.isRe2('a', 'asleep');
  const behind = check.isRe2('b', 'fine');
  await t.rejects(hanging, { code: 'OVERLOADED', retryAfterSeconds: 1 });
  t.equal(await behind, true);
  t.equal(check.waiting, 0);
});

t.test('an expression that is late has twice the time at each further attempt', async (t) => {
  const thread = new RegexpThread(DEADLINE_MS, HANGING);
  const given: (number | undefined)[] = [];
  thread.try = (_, times) => {
    given.push(times);
    return Promise.resolve('late');
  };
  const check = new RegexpCheck(REGEXP_WORK, thread);
  await t.rejects(check.isRe2('a', 'x'), { code: 'OVERLOADED' });
  t.strictSame(given, [1, 2, 4, 8]);
});

t.test('equal expressions are compiled once, the ones asked for longest ago are forgotten', async (t) => {
  const thread = new RegexpThread(10_000, HANGING);
  const asked: string[] = [];
  const asking = thread.try.bind(thread);
  thread.try = (pattern) => {
    asked.push(pattern);
    return asking(pattern);
  };
  const check = new RegexpCheck({ ...REGEXP_WORK, keptVerdicts: 2 }, thread);
  t.teardown(() => check.stop());
  await Promise.all([check.isRe2('a', 'x'), check.isRe2('b', 'x')]);
  await check.isRe2('a', 'y');
  await check.isRe2('a', 'x');
  await check.isRe2('a', 'z');
  await check.isRe2('a', 'y');
  t.same(asked, ['x', 'y', 'z', 'y']);
});

t.test('one organisation fills its places and not those of another', async (t) => {
  const limits = { ...REGEXP_WORK, waiting: 5, waitingPerOrganization: 3, tries: 1 };
  const check = new RegexpCheck(limits, new RegexpThread(DEADLINE_MS, HANGING));
  t.teardown(() => check.stop());
  const first = t.rejects(check.isRe2('a', 'busy'), { code: 'OVERLOADED' });
  const rest = ['1', '2'].map((pattern) => check.isRe2('a', pattern));
  await t.rejects(check.isRe2('a', '3'), { code: 'RATE_LIMITED', retryAfterSeconds: 1 });
  rest.push(...['4', '5'].map((pattern) => check.isRe2('b', pattern)));
  await t.rejects(check.isRe2('c', '6'), { code: 'OVERLOADED' });
  await first;
  t.same(await Promise.all(rest), [true, true, true, true]);
});
