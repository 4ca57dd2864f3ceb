import type { Test } from 'tap';
import { batchedCases } from './document-store-batched.ts';
import { edgeCases, endCases } from './document-store-edges.ts';
import { findCases } from './document-store-find.ts';
import { replaceCases } from './document-store-replace.ts';
import { writeCases } from './document-store-write.ts';
import type { MakeStore, StoreUnderTest } from './harness.ts';

/**
 * Tests that every adapter of DocumentStore must pass: a subtest `name` with one subtest for each case, all on one store,
 * which the last closes.
 */
export async function documentStoreContract(t: Test, name: string, makeStore: MakeStore): Promise<void> {
  await t.test(name, async (t) => {
    const cases = {
      ...writeCases,
      ...findCases,
      ...batchedCases,
      ...edgeCases,
      ...replaceCases,
      ...endCases,
    };
    const make = oneStore(await makeStore(t, []));
    for (const [title, run] of Object.entries(cases)) await t.test(title, (t) => run(t, make));
  });
}

/** Adds the collections of each case to the same store: to open one takes longer than most cases. */
function oneStore({ store, planner, reopen }: StoreUnderTest): MakeStore {
  let open = store;
  return async (_, collections) => {
    await open.ensure(collections);
    const again = async () => {
      open = await reopen();
      await open.ensure(collections);
      return open;
    };
    return { store: open, ...(planner === undefined ? {} : { planner }), reopen: again };
  };
}
