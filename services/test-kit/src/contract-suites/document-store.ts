import type { Test } from 'tap';
import { batchedCases } from './document-store-batched.ts';
import { edgeCases } from './document-store-edges.ts';
import { findCases } from './document-store-find.ts';
import { replaceCases } from './document-store-replace.ts';
import { writeCases } from './document-store-write.ts';
import type { MakeStore } from './harness.ts';

/** Tests that every adapter of DocumentStore must pass: a subtest `name` with one subtest for each case. */
export async function documentStoreContract(t: Test, name: string, makeStore: MakeStore): Promise<void> {
  await t.test(name, async (t) => {
    const cases = { ...writeCases, ...findCases, ...batchedCases, ...edgeCases, ...replaceCases };
    for (const [title, run] of Object.entries(cases)) await t.test(title, (t) => run(t, makeStore));
  });
}
