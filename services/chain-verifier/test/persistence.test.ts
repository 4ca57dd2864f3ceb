import {
  ConflictError,
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
  silentLog,
  type Timers,
} from '@sentinel-node/platform';
import t from 'tap';
import { Persistence, StoppedError } from '../src/persistence.ts';

function recorded(): Timers & { readonly waits: number[] } {
  const waits: number[] = [];
  const delay = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const every: Timers['every'] = () => {
    throw new Error('nothing is repeated');
  };
  return { waits, delay, every };
}

t.test('a passing fault is waited out, longer each time up to a second', async (t) => {
  const timers = recorded();
  const persistence = new Persistence(timers, silentLog());
  let calls = 0;
  await persistence.run(async () => {
    calls++;
    if (calls > 1) t.ok(persistence.waiting);
    if (calls < 4) throw new NotDurableError('disk full');
    if (calls < 9) throw new OverloadedError('busy');
  });
  t.equal(calls, 9);
  t.same(timers.waits, [50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
  t.notOk(persistence.waiting);
});

t.test('a log that does not answer is waited for; another fault of a port is not', async (t) => {
  const persistence = new Persistence(recorded(), silentLog());
  let calls = 0;
  await persistence.run(async () => {
    calls++;
    if (calls < 3) throw new LogUnavailableError('it is gone');
  });
  t.equal(calls, 3);
  await t.rejects(
    persistence.run(() => Promise.reject(new ConflictError('x'))),
    { code: 'CONFLICT' },
  );
});

t.test('any other fault is passed on, at once or after a wait', async (t) => {
  const persistence = new Persistence(recorded(), silentLog());
  await t.rejects(
    persistence.run(() => Promise.reject(new TypeError('bug'))),
    TypeError,
  );
  let calls = 0;
  const faults = [new OverloadedError('busy'), new TypeError('bug')];
  await t.rejects(
    persistence.run(() => Promise.reject(faults[calls++]!)),
    TypeError,
  );
  t.notOk(persistence.waiting);
});

t.test('stopping ends a wait', async (t) => {
  const never: Timers = { ...recorded(), delay: () => new Promise(() => undefined) };
  const persistence = new Persistence(never, silentLog());
  const running = persistence.run(() => Promise.reject(new NotDurableError('disk full')));
  persistence.stop();
  await t.rejects(running, StoppedError);
});
