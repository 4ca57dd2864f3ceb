import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { Lifecycle } from '../src/index.ts';
import { failureSignal } from '../src/ports/failure.ts';

function part() {
  const { failed, fail } = failureSignal();
  const state = { stops: 0 };
  return { failed, fail, state, stop: async () => void (state.stops += 1) };
}

t.test('it runs from the start to the stop, which stops every part once', async (t) => {
  const lifecycle = new Lifecycle(() => t.fail('nothing failed'));
  t.equal(lifecycle.isRunning, false);
  const [one, other] = [part(), part()];
  lifecycle.run(one, other);
  t.equal(lifecycle.isRunning, true);
  await lifecycle.stop();
  await lifecycle.stop();
  t.equal(lifecycle.state, 'stopped');
  t.strictSame([one.state.stops, other.state.stops], [1, 1]);
});

t.test('the first part that fails makes it fail, once', async (t) => {
  const failures: unknown[] = [];
  const lifecycle = new Lifecycle((error) => failures.push(error));
  const [one, other] = [part(), part()];
  lifecycle.run(one, other);
  one.fail(new Error('one'));
  other.fail(new Error('other'));
  await t.rejects(lifecycle.failed, { message: 'one' });
  matchList(t, failures, [{ message: 'one' }]);
  t.equal(failures.length, 1);
  t.equal(lifecycle.isRunning, false);
});

t.test('a failure while it stops is none', async (t) => {
  const lifecycle = new Lifecycle(() => t.fail('stopping is no failure'));
  const one = part();
  lifecycle.run(one);
  const stopped = lifecycle.stop();
  one.fail(new Error('interrupted'));
  await stopped;
  t.equal(lifecycle.state, 'stopped');
});
