/** Tests what a restore appends to the log when it judges the records of a backup again. */
import {
  CURRENT_RULES,
  encodeFileEvent,
  NONCE_BYTES,
  TOPICS,
  type NoticeRecord,
} from '@sentinel-node/contracts';
import { EMBEDDED_TOPICS, openDataFolder, openEmbeddedEventLog } from '@sentinel-node/platform';
import t from 'tap';
import { withoutRepeats } from '../src/backup/without-repeats.ts';
import { temporaryFolder } from './support/folder.ts';

const DEVICE = '01932b5e-7c00-7a11-8b22-000000000001';

function notice(noticeId: string, code: string) {
  const header: NoticeRecord = {
    ...{ kind: 'notice', v: 1, rules: CURRENT_RULES, orgId: DEVICE, deviceId: DEVICE, fileId: null },
    ...{
      acceptedAt: 1,
      nonce: '0'.repeat(2 * NONCE_BYTES),
      noticeId,
      type: 'AGENT_ERROR',
      code,
      message: 'told',
    },
  };
  return { key: DEVICE, id: noticeId, body: encodeFileEvent(JSON.stringify(header)) };
}

t.test('a notice of reports that were not judged is not told a second time by a restore', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await eventLog.close();
    folder.release();
  });
  const restoring = await withoutRepeats(eventLog);
  const ids = [2, 3].map((n) => `01932b5e-7c00-7a11-8b22-00000000000${n}`);
  const records = [notice(ids[0]!, 'REPORTS_NOT_JUDGED'), notice(ids[1]!, 'QUEUE_FULL')];
  t.equal((await restoring.append(TOPICS.fileEvents, records)).length, 2);
  const found: string[] = [];
  for (const { partition } of await eventLog.bounds(TOPICS.fileEvents))
    for await (const { records } of eventLog.read(TOPICS.fileEvents, partition, 0))
      found.push(...records.map(({ id }) => id));
  t.strictSame(found, [ids[1]]);
});
