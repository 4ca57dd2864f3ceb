/** Tests that nothing starts after only one of the two stores was restored from a snapshot. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { founder } from './support/client.ts';
import { Node } from './support/node.ts';
import { addFiles, deviceOf, version } from './support/reporter.ts';
import { linksOnce } from './support/scene.ts';
import { FILE_MS } from './support/until.ts';

const STORES = ['documents.db', 'log.db'] as const;

t.setTimeout(FILE_MS);
t.test('a store that was put back beside one that was not is refused', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t);
  await node.start();
  const admin = await founder(node);
  const agent = await deviceOf(admin, { name: 'Device' });
  const { file = '' } = await addFiles(agent, { file: {} });
  await agent.report(file, 'FIRST', version('1'));
  await linksOnce(agent, file, 1);
  await node.stop();
  const at = (name: string) => join(node.dataDir, name);
  for (const name of STORES) copyFileSync(at(name), at(`${name}.1`));

  await node.start();
  await agent.reportWith(file, { change: 'REPLACED', versions: [version('1'), version('2')] });
  await linksOnce(agent, file, 2);
  await node.stop();
  for (const name of STORES) copyFileSync(at(name), at(`${name}.2`));

  const putBack = (moments: Readonly<Record<(typeof STORES)[number], 1 | 2>>) => {
    for (const name of STORES) {
      for (const rest of ['-wal', '-shm']) rmSync(at(`${name}${rest}`), { force: true });
      copyFileSync(at(`${name}.${moments[name]}`), at(name));
    }
  };
  putBack({ 'documents.db': 1, 'log.db': 2 });
  await t.rejects(node.start(), /the document store is older than the log: .* restore both from one moment/);
  putBack({ 'documents.db': 2, 'log.db': 1 });
  await t.rejects(node.start(), /the log is older than the document store: .* restore both from one moment/);
  putBack({ 'documents.db': 1, 'log.db': 1 });
  await node.start();
});
