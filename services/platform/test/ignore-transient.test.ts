import t from 'tap';
import {
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
  PortError,
  ignoreTransient,
} from '../src/index.ts';

t.test('a fault that passes does not end what repeats', async (t) => {
  for (const fault of [
    new LogUnavailableError('bounds'),
    new NotDurableError('no quorum'),
    new OverloadedError('full'),
  ])
    await t.resolves(ignoreTransient(() => Promise.reject(fault))(), fault.code);
});

t.test('the first fault of a row is told', async (t) => {
  const fault = new NotDurableError('no quorum');
  const told: PortError[] = [];
  let fails = true;
  const run = ignoreTransient(
    () => (fails ? Promise.reject(fault) : Promise.resolve()),
    (one) => void told.push(one),
  );
  for (fails of [true, true, false, true]) await run();
  t.strictSame(told, [fault, fault]);
});

t.test('any other fault does', async (t) => {
  for (const fault of [new TypeError('a fault of the program'), new PortError('INDEX_CHANGED', 'files')])
    await t.rejects(ignoreTransient(() => Promise.reject(fault))(), fault);
});
