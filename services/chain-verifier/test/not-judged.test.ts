/** Reports that were answered 202 in the moment in which their file was deleted or switched off. */
import { decodeFileEvent, type NoticeRecord } from '@sentinel-node/contracts';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { BatchVerifier } from '../src/consume.ts';
import { HeadCache } from '../src/head-cache.ts';
import { judgeBatch } from '../src/judge-batch.ts';
import { INITIAL_HEAD } from '../src/index.ts';
import { notJudgedNotices } from '../src/not-judged.ts';
import { MemoryLog, MemoryStore } from './doubles/memory-ports.ts';
import { batchOf } from './doubles/world.ts';
import {
  change,
  DEVICE,
  FILE,
  first,
  LOG_ID,
  report,
  unchanged,
  version,
  type Made,
  type Step,
} from './dsl/records.ts';
import { given, Teller } from './dsl/story.ts';

const [A, B] = [version('A'), version('B')];
const OTHER = '01932b5e-7c00-7a11-8b22-00000000000a';

/** A report that was accepted under the policy of before the last change. */
const acceptedBefore =
  (step: Step): Step =>
  (story) => {
    const { policy } = story;
    story.policy = { ...policy, configVersion: policy.configVersion - 1, enabled: true };
    const made = step(story);
    story.policy = policy;
    return made;
  };
const late = acceptedBefore(report('REPLACED', [A, B]));
const deleted = change({}, { deleted: true });

const batch = (records: readonly Made[]) =>
  batchOf(
    0,
    records.map((record, offset) => ({ ...record, partition: 0, offset })),
  );
const noticeOf = ({ body }: { readonly body: Uint8Array }) => decodeFileEvent(body).header as NoticeRecord;

t.test('a report that was accepted before its file was switched off is judged', async (t) => {
  const { when } = given({ modifiable: false }, first(A), change({ enabled: false }));
  matchWhole(t, when(late), { alerts: ['UNEXPECTED_CHANGE ACTIVE 1'] });
});

t.test('reports that were accepted before their file was deleted are told, with their number', async (t) => {
  const { teller } = given({}, first(A), deleted, late, late);
  const eventLog = new MemoryLog(1, () => 'none', [[]]);
  const verifier = new BatchVerifier({
    eventLog,
    store: new MemoryStore(),
    cache: new HeadCache({ heads: 10 }),
    logId: LOG_ID,
    persist: async (call) => void (await call()),
  });
  await verifier.handle(batch(teller.log));
  const told = eventLog.appended;
  matchList(t, told.map(noticeOf), [
    {
      kind: 'notice',
      type: 'AGENT_ERROR',
      code: 'REPORTS_NOT_JUDGED',
      deviceId: DEVICE,
      fileId: FILE,
      message: /^2 reports were accepted and not judged of \/srv\/app\.log, from sequence \d+ on/,
    },
  ]);
  matchList(t, teller.append(told[0]!)?.events ?? [], [{ type: 'AGENT_ERROR', note: /REPORTS_NOT_JUDGED/ }]);
});

t.test('a verifier whose position was lost tells nothing again, however its batches are cut', async (t) => {
  const { teller } = given({}, first(A), deleted, late, late);
  const eventLog = new MemoryLog(1, () => 'none', [[]]);
  const store = new MemoryStore();
  const verifier = () =>
    new BatchVerifier({
      ...{ eventLog, store, logId: LOG_ID },
      cache: new HeadCache({ heads: 10 }),
      persist: async (call) => void (await call()),
    });
  const { records, ...whole } = batch(teller.log);
  const before = verifier();
  await before.handle({ ...whole, records });
  await before.saveAll();
  t.equal(eventLog.appended.length, 1);
  const after = verifier();
  for (const one of records) await after.handle({ ...whole, records: [one] });
  t.equal(eventLog.appended.length, 1);
  const [later] = batch([
    ...teller.log,
    ...given({}, first(A), deleted, late).teller.log.slice(-1),
  ]).records.slice(-1);
  await after.handle({ ...whole, records: [later!] });
  t.equal(eventLog.appended.length, 2, 'a report that comes then is told');
});

t.test('the same batch tells the same, and what is judged already is told by nothing', async (t) => {
  const { teller } = given({}, first(A), unchanged(A), deleted, late);
  const again = teller.log[1]!;
  const records = [...teller.log, again];
  const judge = () => judgeBatch(batch(records), new Map([[FILE, INITIAL_HEAD]]), LOG_ID).notJudged;
  matchList(t, judge(), [{ fileId: FILE, partition: 0, offset: 3 }]);
  t.strictSame(notJudgedNotices(judge()), notJudgedNotices(judge()));
});

t.test('several files of a device that was deleted are one event of the device', async (t) => {
  const other = new Teller({ path: '/srv/b.log' }, OTHER);
  for (const step of [first(A), deleted, late]) other.tell(step);
  const { teller } = given({}, first(A), deleted, late);
  const heads = new Map([FILE, OTHER].map((id) => [id, INITIAL_HEAD]));
  const { notJudged } = judgeBatch(batch([...teller.log, ...other.log]), heads, LOG_ID);
  matchList(t, notJudgedNotices(notJudged).map(noticeOf), [
    { deviceId: DEVICE, fileId: null, message: /^2 reports .* of 2 files \(the first of \/srv\/app\.log\)/ },
  ]);
});
