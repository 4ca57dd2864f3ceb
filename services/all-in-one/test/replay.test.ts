/** Tests the replay of dead letters in this process, where a test decides what comes meanwhile. */
import t from 'tap';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
} from '@sentinel-node/platform';
import { waitForGroup } from '../src/audit/wait-past.ts';
import { findParked } from '../src/dead-letters/parked-files.ts';
import { replayFile } from '../src/dead-letters/replay.ts';
import { temporaryFolder } from './support/folder.ts';
import { SECRET } from './support/secret.ts';
import { DEADLINE_MS } from './support/until.ts';

const FILE = '01900000-0000-7000-8000-000000000001';
const PATIENCE = { isLive: true, waitSeconds: DEADLINE_MS / 1_000, looks: 1, writeLine: () => undefined };

t.test('a file that its next report parks again is not told as parked no longer', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const verifier = createChainVerifier({ eventLog, store, logId: logKeyOf(SECRET).logId, log: silentLog() });
  await verifier.start();
  t.teardown(async () => {
    await verifier.stop();
    await eventLog.close();
    await store.close();
    folder.release();
  });
  const poison = () =>
    eventLog.append(TOPICS.fileEvents, [{ key: FILE, id: 'poison', body: Buffer.from('{"kind":"riddle"}') }]);
  const allJudged = async (): Promise<void> => {
    const bounds = await eventLog.bounds(TOPICS.fileEvents);
    const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
    await waitForGroup(eventLog, GROUPS.verifier, new Map([[TOPICS.fileEvents, ends]]), PATIENCE);
  };
  const parked = async () => (await findParked(eventLog, store)).files;

  await poison();
  await allJudged();
  const [file] = await parked();
  // The next report of the file is judged right after the letter that is passed over.
  const judged = async (): Promise<void> => {
    await poison();
    await allJudged();
  };
  const cause = 'a record of no known kind';
  t.same(await replayFile({ eventLog, store, judged }, file!, true), {
    ...{ key: FILE, replayed: 0, skipped: 1 },
    stuck: { index: 0, cause, isNew: true },
  });
  const [again] = await parked();
  t.not(again!.parked.parking, file!.parked.parking, 'it is another parking');
  t.same(await replayFile({ eventLog, store, judged: allJudged }, again!, true), {
    ...{ key: FILE, replayed: 0, skipped: 1 },
  });
  t.same(await parked(), []);
});
