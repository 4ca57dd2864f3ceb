import t from 'tap';
import { closeAll } from '../src/process/close-all.ts';

t.test(
  'given a resource that cannot be closed, those after it are closed, and the first failure is thrown',
  async (t) => {
    const closed: string[] = [];
    const close = (name: string, failure?: Error) => async () => {
      closed.push(name);
      if (failure !== undefined) throw failure;
    };
    const first = new Error('disk full');
    const closing = closeAll([
      close('log'),
      close('store', first),
      close('cache', new Error('later')),
      close('lock'),
    ]);
    await t.rejects(closing, first);
    t.same(closed, ['log', 'store', 'cache', 'lock']);
  },
);

t.test(
  'given resources that can be closed, they are closed in order, each after the one before',
  async (t) => {
    const steps: string[] = [];
    await closeAll([
      async () => {
        steps.push('log begins');
        await new Promise((resolve) => setImmediate(resolve));
        steps.push('log ends');
      },
      () => void steps.push('lock'),
    ]);
    t.same(steps, ['log begins', 'log ends', 'lock']);
  },
);
