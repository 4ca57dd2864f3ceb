/** Tests that the audit asks a public ledger with the block headers that anchoring stored. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDataFolder, openEmbeddedDocumentStore, readConfig } from '@sentinel-node/platform';
import { easyHash, easyHeaders } from '@sentinel-node/test-kit/fakes';
import t from 'tap';
import { withLedger } from '../src/audit/evidence.ts';
import { temporaryFolder } from './support/folder.ts';
import { until } from './support/until.ts';

const base = easyHeaders({ count: 30 });

t.test('given stored headers, then the ledger knows its blocks at once, without its source', async (t) => {
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
  await withLedger(config, store, (ledger) =>
    until('the source is read', async () =>
      (await ledger.height().catch(() => 0)) === 39 ? true : undefined,
    ),
  );
  await writeFile(source, '');
  const seen = await withLedger(config, store, async (ledger) => [
    await ledger.height(),
    await ledger.header(20),
  ]);
  t.strictSame(seen, [39, Buffer.from(base.slice(800, 880)).toString('hex')]);
});
