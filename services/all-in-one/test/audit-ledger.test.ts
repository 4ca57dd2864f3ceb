/** Tests that the audit asks a public ledger with the block headers that anchoring stored. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  readConfig,
  systemClock,
  systemTimers,
} from '@sentinel-node/platform';
import { ledgerOf } from '@sentinel-node/anchoring';
import { easyHash, easyHeaders } from '@sentinel-node/test-kit/fakes';
import t from 'tap';
import { auditAll } from '../src/audit/audit.ts';
import { withLedger } from '../src/audit/evidence.ts';
import { NOT_VIEWS } from '../src/not-views.ts';
import { temporaryFolder } from './support/folder.ts';
import { until } from './support/until.ts';

const base = easyHeaders({ count: 30 });
const DEAF = { closingDepth: 6, firstHeight: 0, forgets: true };

t.test('the audit loads the headers right before it compares batches', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const store = await openEmbeddedDocumentStore({ folder });
  await store.ensure(NOT_VIEWS.map(({ spec }) => spec));
  const scratchFolder = openDataFolder(temporaryFolder(t));
  const scratch = await openEmbeddedDocumentStore({ folder: scratchFolder });
  t.teardown(async () => {
    await eventLog.close();
    await Promise.all([store.close(), scratch.close()]);
    folder.release();
    scratchFolder.release();
  });
  const steps: string[] = [];
  const writeLine = (line: string) => void steps.push(line);
  const none = () => Promise.reject(new Error('there is no batch'));
  await auditAll({
    ...{ eventLog, store, scratch, logKey: logKeyOf('a master secret of this test') },
    indexFaults: () => store.indexFaults(),
    ledger: { ...DEAF, network: 'regtest', header: none, height: none, status: none },
    startLedger: () => Promise.resolve(writeLine('the ledger starts')),
    ...{ checkpoint: undefined, receipts: [], intervalSeconds: 3_600, clock: systemClock },
    patience: { isLive: false, waitSeconds: 1, looks: 1, writeLine },
  });
  const at = steps.indexOf('the ledger starts');
  t.match(steps[at - 1], /^checking batches/);
  t.equal(steps.filter((line) => line === 'the ledger starts').length, 1);
});

t.test(
  'given stored headers, then the ledger knows those of its start at once, without its source',
  async (t) => {
    const path = temporaryFolder(t);
    await mkdir(path, { recursive: true });
    const source = join(path, 'headers');
    await writeFile(source, base);
    const config = readConfig({
      SENTINEL_LEDGER: 'https://arc.example',
      SENTINEL_FUNDING_KEY: '1c'.repeat(32),
      SENTINEL_HEADERS: source,
      SENTINEL_NETWORK: 'regtest',
      SENTINEL_HEADERS_CHECKPOINT: `10:${easyHash(base, 0)}`,
    });
    const folder = openDataFolder(join(path, 'data'));
    const store = await openEmbeddedDocumentStore({ folder });
    t.teardown(() => store.close().then(() => folder.release()));
    await store.ensure(NOT_VIEWS.map(({ spec }) => spec));
    const follow = async (height: number): Promise<void> => {
      const ledger = ledgerOf(config, { store, clock: systemClock, timers: systemTimers });
      await ledger.start();
      await until('the source is read', async () =>
        (await ledger.height().catch(() => 0)) === height ? true : undefined,
      );
      await ledger.stop();
    };
    await writeFile(source, base.slice(0, 800));
    await follow(19);
    const seen = await withLedger(config, store, async (ledger, start) => {
      // What anchoring does while the audit reads reports and chains.
      await writeFile(source, base);
      await follow(39);
      await writeFile(source, '');
      await start();
      return [await ledger.height(), await ledger.header(20)];
    });
    t.strictSame(seen, [39, Buffer.from(base.slice(800, 880)).toString('hex')]);
  },
);
