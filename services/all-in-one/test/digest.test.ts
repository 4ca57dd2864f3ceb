import t from 'tap';
import { digestOf } from '../src/audit/digest.ts';

t.test('a document with what no JSON holds equals none of the log, and is no internal error', async (t) => {
  const at = new Date(0);
  const logged = { rev: 1, at: at.toISOString(), inner: [{ length: 2, open: null }], more: undefined };
  t.equal(digestOf(logged), digestOf({ at: logged.at, inner: [{ open: null, length: 2 }], rev: 1 }));
  for (const changed of [
    { ...logged, rev: NaN },
    { ...logged, rev: 1n },
    { ...logged, at },
    { ...logged, inner: [{ length: Infinity, open: null }] },
    { ...logged, inner: new Map() },
  ])
    t.not(digestOf(changed), digestOf(logged));
});
