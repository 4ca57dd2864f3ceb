/** What rules 4 judge otherwise than rules 3; `docs/decisions/089-rules-4.md` gives the reasons. */
import assert from 'node:assert/strict';
import type { ChainRecord } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t, { type Test } from 'tap';
import { anyStep } from './doubles/arbitraries.ts';
import { change, FILE, first, missing, report, restamp, unchanged, version } from './dsl/records.ts';
import { given, Teller } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const MOVED = { path: '/srv/moved.log' };
/** A report made under configuration `configVersion`. */
const made = (configVersion: number) => ({ configVersion });

/** Compares the last check of the file, in the head and as published, with the time of the last record or with none. */
function isChecked(t: Test, { teller }: ReturnType<typeof given>, isExpected: boolean, why: string): void {
  const expected = isExpected ? teller.acceptedAtMs : null;
  t.equal(teller.head.checkedAt, expected, why);
  t.equal(teller.published.at(-1)?.file?.checkedAt, expected, `${why}, as published`);
}

t.test('a look at an earlier path is a contact, and no check of the file', async (t) => {
  const story = given({}, first(A), change(MOVED));
  isChecked(t, story, false, 'nobody has looked at the new path');
  t.same(story.when(report('UNCHANGED', [A], made(3))), { entries: [], alerts: [], events: [] });
  isChecked(t, story, false, 'a report that was kept');
  t.equal(story.teller.head.contactAt, story.teller.acceptedAtMs, 'the device is there');
  t.same(story.when(report('FIRST', [B], made(4))), {
    entries: ['BASELINE B'],
    alerts: [],
    events: [],
  });
  isChecked(t, story, true, 'a look at the new path');
});

t.test('so it is when the report brings the new path before its record does', async (t) => {
  const late = given({}, first(A), restamp(MOVED), report('UNCHANGED', [A], made(3)));
  isChecked(t, late, false, 'an earlier look');
  const own = given({}, first(A), restamp(MOVED), report('FIRST', [B], made(4)));
  isChecked(t, own, true, 'a look at the new path');
  const unnamed = given({}, first(A), restamp(MOVED), unchanged(B));
  isChecked(t, unnamed, true, 'an agent that does not say its configuration is believed');
});

t.test('a new path that is missing was looked at', async (t) => {
  const story = given({}, first(A), missing, change(MOVED));
  story.when(report('MISSING', [], made(3)));
  isChecked(t, story, false, 'the earlier path');
  story.when(report('ERROR', [], { ...made(4), error: { code: 'EACCES', message: 'no' } }));
  isChecked(t, story, false, 'an error is no check');
  story.when(report('MISSING', [], made(4)));
  isChecked(t, story, true, 'the new path');
});

t.test('a path that changes before the first report counts as well', async (t) => {
  const story = given({}, change(MOVED, { rebaseline: true }));
  story.when(report('FIRST', [A], made(3)));
  isChecked(t, story, false, 'the earlier path');
  story.when(report('FIRST', [B], made(4)));
  isChecked(t, story, true, 'the new path');
});

t.test('another frequency, or another setting, leaves the file the same', async (t) => {
  for (const fields of [{ monitoringFrequency: 'FOLLOW' }, { modifiable: false }] as const) {
    const story = given({}, first(A), change(fields));
    t.equal(story.teller.head.checkedAt, story.teller.acceptedAtMs - 1_000, 'the last check stands');
    story.when(report('UNCHANGED', [A], made(3)));
    isChecked(t, story, true, 'and a look before the change was at the file');
  }
});

const withoutCheck = (records: readonly ChainRecord[]) =>
  records.map(({ rules: _, file, ...record }) => JSON.stringify({ ...record, ...file, checkedAt: 0 }));

t.test('in all else rules 4 are rules 3', async () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 40 }), (steps) => {
      const [three, four] = [3, 4].map((rules) => new Teller({}, FILE, rules));
      for (const step of steps) for (const teller of [three!, four!]) teller.tell(step);
      assert.deepEqual(withoutCheck(four!.published), withoutCheck(three!.published));
      assert.deepEqual({ ...four!.head, checkedAt: 0 }, { ...three!.head, checkedAt: 0 });
      const [own, any] = [four!.head.checkedAt, three!.head.checkedAt];
      assert.ok(own === null || own === any, 'no check more');
    }),
    { numRuns: 200 },
  );
});
