/** Tests that the operator's commands refuse a place where no system was ever started. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, SENTINEL } from './support/node.ts';
import { FILE_MS } from './support/until.ts';

const COMMANDS = [
  ['audit'],
  ['anchors', 'resume'],
  ['backup', 'BACKUP'],
  ['dead-letters', 'list'],
  ['funds'],
  ['rebuild', 'alerts'],
  ['topics', 'read', 'sentinel.chain.v1'],
];

t.setTimeout(FILE_MS);

t.test('a data folder that is not there is not made and not reported as healthy', async (t) => {
  const folder = temporaryFolder(t);
  const missing = join(folder, 'mistyped');
  for (const args of COMMANDS) {
    const title = args.join(' ');
    const own = args.map((one) => (one === 'BACKUP' ? join(folder, 'backup') : one));
    const ended = await runChild(t, [SENTINEL, ...own, '--data', missing]);
    t.match(
      ended,
      {
        code: 1,
        stdout: /^$/,
        stderr: /the data folder \S+ is not there: is --data \(SENTINEL_DATA_DIR\) right\?\n$/,
      },
      title,
    );
    t.notOk(existsSync(missing), title);
    t.notOk(existsSync(join(folder, 'backup')), title);
  }
});

t.test('stores on which no system was ever started are not reported as healthy', async (t) => {
  const data = temporaryFolder(t);
  const folder = openDataFolder(data);
  await (await openEmbeddedDocumentStore({ folder })).close();
  folder.release();
  const ended = await runChild(t, [SENTINEL, 'audit', '--data', data]);
  t.match(ended, { code: 1, stdout: /^$/, stderr: /no system was ever started on these stores/ });
});

/** Commands with one that only reads documents; each has to fail in one line. */
const READERS = [...COMMANDS, ['anchors'], ['headers', 'BACKUP'], ['seals'], ['trust']];

t.test('a place that holds no system says which it is', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, 'text');
  mkdirSync(join(folder, 'empty'));
  for (const args of READERS) {
    const own = args.map((one) => (one === 'BACKUP' ? join(folder, 'backup') : one));
    const at = (data: string) => runChild(t, [SENTINEL, ...own, '--data', join(folder, data)]);
    const says = (what: string) => ({
      code: 1,
      stdout: /^$/,
      stderr: new RegExp(
        `^sentinel ${args[0]}: the data folder \\S+ ${what}: is --data \\(SENTINEL_DATA_DIR\\) right\\?\n$`,
      ),
    });
    t.match(await at('file'), says('is a file'), args.join(' '));
    t.match(await at('empty'), says('holds no documents yet'), args.join(' '));
    t.same(readdirSync(join(folder, 'empty')), []);
    t.notOk(existsSync(join(folder, 'backup')));
  }
});

t.test('a damaged folder is told in one line, and stays as it is', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t);
  await node.start();
  await node.stop();
  const sizes = {
    log: statSync(join(node.dataDir, 'log.db')).size,
    documents: statSync(join(node.dataDir, 'documents.db')).size,
  };
  const damages: readonly (readonly [
    title: string,
    damage: (dataDir: string) => void,
    says: RegExp,
    spares?: readonly string[],
  ])[] = [
    [
      'half of the log',
      (dir) => truncateSync(join(dir, 'log.db'), Math.floor(sizes.log / 8_192) * 4_096),
      /\S+log\.db is damaged \(.+\): restore a backup/,
      ['trust'],
    ],
    [
      'no log at all',
      (dir) => writeFileSync(join(dir, 'log.db'), 'no database, but a text'.repeat(1_000)),
      /\S+log\.db is damaged \(.+\): restore a backup/,
      ['trust'],
    ],
    [
      'half of the documents',
      (dir) => truncateSync(join(dir, 'documents.db'), Math.floor(sizes.documents / 8_192) * 4_096),
      /\S+documents\.db is damaged \(.+\): restore a backup/,
    ],
    [
      'empty documents',
      (dir) => truncateSync(join(dir, 'documents.db'), 0),
      /\S+ holds no documents yet|the document store is new, but the log holds records|no system was ever started/,
    ],
    [
      'the master secret gone',
      (dir) => rmSync(join(dir, 'master-secret')),
      /\S+ was used before, and its file master-secret is gone: put it back, or give SENTINEL_SECRET/,
      ['trust'],
    ],
  ];
  for (const [title, damage, says, spares = []] of damages)
    for (const args of [['audit'], ['backup', 'BACKUP'], ['trust']]) {
      if (spares.includes(args[0]!)) continue;
      const dataDir = temporaryFolder(t);
      cpSync(node.dataDir, dataDir, { recursive: true });
      damage(dataDir);
      const backup = join(dataDir, '..', 'backup-of-damaged');
      const before = readdirSync(dataDir).toSorted();
      const own = args.map((one) => (one === 'BACKUP' ? backup : one));
      const { code, stdout, stderr } = await runChild(t, [SENTINEL, ...own, '--data', dataDir]);
      const name = `${title}: ${args.join(' ')}`;
      t.equal(code, 1, name);
      t.equal(stdout, '', name);
      t.match(stderr, says, name);
      t.notMatch(stderr, /\n\s+at |internal error/, name);
      t.notOk(existsSync(backup), name);
      t.same(
        readdirSync(dataDir)
          .filter((one) => !/-(wal|shm)$/.test(one))
          .toSorted(),
        before,
        name,
      );
    }
});
