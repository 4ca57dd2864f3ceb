/** Tests how a command that finishes what a killed process left ends when the disk is full. */
import { TOPICS } from '@sentinel-node/contracts';
import {
  createLog,
  EMBEDDED_TOPICS,
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
} from '@sentinel-node/platform';
import t from 'tap';
import { catchUp } from '../src/audit/catch-up.ts';
import { delegateTo } from '../src/delegate.ts';
import { temporaryFolder } from './support/folder.ts';

const DISK = 'disk space of the document store';

t.test('records that cannot be judged or projected for lack of room end the command', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await store.close();
    await eventLog.close();
    folder.release();
  });
  const some = {
    ...{ eventLog, store, logId: new Uint8Array(32), writeLine: () => undefined },
    ...{ log: createLog({ level: 'silent', service: 'test' }), notReady: () => [] },
  };
  // It cannot be judged, so that the verifier tells the projector of a parked file.
  await eventLog.append(TOPICS.fileEvents, [{ key: 'k', id: 'r', body: new Uint8Array(1) }]);
  await catchUp(some);
  // No position of the group that waits is ever stored, as on a disk without room.
  for (const waiting of ['chain-verifier', 'query-projector']) {
    const committed: typeof eventLog.committed = async (topic, group) => {
      if (group === waiting) return new Map();
      const bounds = await eventLog.bounds(topic);
      return new Map(bounds.map(({ partition, end }) => [partition, end]));
    };
    const deps = { ...some, eventLog: { ...delegateTo(eventLog), committed }, notReady: () => [DISK] };
    const message = new RegExp(`^${waiting}: 0 of \\d+ records done; .* ${DISK}$`);
    await t.rejects(catchUp(deps), { constructor: NotDurableError, message });
  }
});
