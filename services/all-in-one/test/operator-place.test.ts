/** Tests that the operator's commands refuse a place where no system was ever started. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL } from './support/node.ts';
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
    t.match(ended, { code: 1, stdout: /^$/, stderr: /the data folder \S+ holds no documents yet\n$/ }, title);
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
