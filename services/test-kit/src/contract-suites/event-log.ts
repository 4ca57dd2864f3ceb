import type { Test } from 'tap';
import { appendCases } from './event-log-append.ts';
import { consumeCases } from './event-log-consume.ts';
import { groupCases } from './event-log-groups.ts';
import { readCases } from './event-log-read.ts';
import type { MakeLog } from './harness.ts';

/** Tests that every adapter of EventLog must pass: a subtest `name` with one subtest for each case. */
export async function eventLogContract(t: Test, name: string, makeLog: MakeLog): Promise<void> {
  await t.test(name, async (t) => {
    const cases = { ...appendCases, ...consumeCases, ...groupCases, ...readCases };
    for (const [title, run] of Object.entries(cases)) await t.test(title, (t) => run(t, makeLog));
  });
}
