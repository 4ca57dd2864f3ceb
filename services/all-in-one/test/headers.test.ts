/** Tests `sentinel headers` with a checked source; `verify.test.ts` tests the development ledger. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DEV_LEDGER_COLLECTIONS, type DocumentReader } from '@sentinel-node/platform';
import t from 'tap';
import { easyHash, easyHeaders, withoutWork } from '@sentinel-node/test-kit/fakes';
import { endOf } from '../src/operator/read.ts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT, startedNode } from './support/node.ts';
import { FILE_MS } from './support/until.ts';

const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');
const base = easyHeaders({ count: 30 });

t.setTimeout(FILE_MS);
t.test('a document that sorts after all blocks, and is none, is named', async (t) => {
  const ending = (...ids: string[]) => {
    const newest = () => Promise.resolve(ids.map((id) => ({ id }))[0]);
    return endOf({ newest } as unknown as DocumentReader, DEV_LEDGER_COLLECTIONS.blocks.name);
  };
  t.equal(await ending(), 0);
  t.equal(await ending('0000000041'), 42);
  for (const id of ['forged', '0000000NaN', '00000001.5'])
    await t.rejects(ending(id), {
      code: 'STRAY_DOCUMENT',
      message: `the collection dev_ledger_blocks holds the document ${id}, which nobody writes: run sentinel audit`,
    });
});
t.test('headers of a source that hold are written, from the checkpoint or a height', async (t) => {
  const node = await startedNode(t);
  await node.stop();
  const folder = temporaryFolder(t);
  await mkdir(folder, { recursive: true });
  const [source, out] = [join(folder, 'source'), join(folder, 'out')];
  await writeFile(source, base);
  const env = {
    SENTINEL_HEADERS: source,
    SENTINEL_NETWORK: 'regtest',
    SENTINEL_HEADERS_CHECKPOINT: `10:${easyHash(base, 0)}`,
  };
  const headers = (...args: string[]) =>
    runChild(t, [SENTINEL, 'headers', ...args, '--data', node.dataDir], env);

  t.match(await headers(out), {
    code: 0,
    stderr: `blocks 10 to 39; a checker who knows the first: --after 10:`,
  });
  t.same(new Uint8Array(await readFile(out)), base);
  t.match(await headers(out, '--from', '39'), { code: 0, stderr: `--after 39:${easyHash(base, 29)}\n` });
  t.same(new Uint8Array(await readFile(out)), base.slice(-80));
  t.match(await headers(out, '--from', '40'), { code: 2, stderr: /--from takes a height from 10 to 39/ });
  t.match(await headers(), { code: 2, stderr: /give the file to write/ });

  const answers = { '/api/v1/chain/tip/longest': { height: 900_000 }, '/api/v1/chain/header/byHeight': [] };
  const server = createServer(({ url = '' }, response) =>
    response.end(JSON.stringify(answers[url.split('?')[0] as keyof typeof answers])),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const unreached = await runChild(t, [SENTINEL, 'headers', join(folder, 'none'), '--data', node.dataDir], {
    ...env,
    SENTINEL_HEADERS: service,
  });
  t.match(unreached, {
    code: 1,
    stderr: /names block 900000 as its newest, and gives no header from block 10 on/,
  });
  await t.rejects(stat(join(folder, 'none')), { code: 'ENOENT' });

  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  t.match(await headers(pipe), { code: 1, stderr: /pipe is there and is no file: give the name of a file/ });
  t.ok((await stat(pipe)).isFIFO(), 'what is no file is not replaced');
  t.match(await headers(folder), { code: 1, stderr: /is there and is no file/ });

  const cut = join(folder, 'cut');
  await writeFile(source, easyHeaders({ count: 600 }));
  const own = `"${process.execPath}" "${SENTINEL}" headers "${cut}" --data "${node.dataDir}"`;
  const full = spawnSync('bash', ['-c', `ulimit -f 40; exec ${own}`], { env: { ...process.env, ...env } });
  t.equal(full.status, 1, 'the disk takes a part of the file');
  t.match(String(full.stderr), /^sentinel headers: \S+cut cannot be written \(EFBIG\)\n$/);
  for (const name of [cut, `${cut}.part`]) await t.rejects(stat(name), { code: 'ENOENT' }, 'nothing is left');

  await writeFile(
    source,
    Buffer.concat([base, withoutWork(easyHeaders({ count: 1, after: base.slice(-80) }))]),
  );
  const lied = await headers(out);
  t.match(lied, { code: 1, stderr: /is not believed from block 40 on: NO_WORK/ });
  await writeFile(source, base.slice(0, 81));
  const none = join(folder, 'none');
  t.match(await headers(none), { code: 1, stderr: /81 bytes are not headers of 80 bytes each/ });
  await t.rejects(stat(none), { code: 'ENOENT' }, 'no half file');
});
