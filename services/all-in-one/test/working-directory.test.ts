/** Tests that a device's working directory decides which file a relative path names. */
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { version } from './support/reporter.ts';
import { alertsOf, linksOnce, scene } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

t.setTimeout(FILE_MS);
t.test('another working directory gives relative paths a new baseline', { timeout: FILE_MS }, async (t) => {
  const { admin, agent, files } = await scene(t, {
    relative: { path: 'app.log' },
    absolute: { path: '/app.log' },
  });
  const { absolute = '', relative = '' } = files;
  for (const id of [relative, absolute]) await agent.report(id, 'FIRST', version('before'));
  const { files: _files, ...device } = await admin.done('GET', `/devices/${agent.path}`);
  await admin.done('PUT', `/devices/${agent.path}`, { ...device, path: '/elsewhere' });
  await until('ingestion to know', async () => {
    const { workingDirectory } = await admin.done('GET', `/devices/config/${agent.path}`);
    return workingDirectory === '/elsewhere' ? true : undefined;
  });
  for (const id of [relative, absolute])
    await agent.reportWith(id, { change: 'REPLACED', versions: [version('after')] });
  const [newest] = await linksOnce(agent, relative, 2);
  t.match(newest, { firstHash: true, hash: version('after').hash }, 'it is another file');
  t.strictSame(await alertsOf(agent, relative), []);
  const raised = await until('an alert', async () => {
    const alerts = await alertsOf(agent, absolute);
    return alerts.length > 0 ? alerts : undefined;
  });
  matchList(t, raised, [{ type: 'HASH_BREACH' }], 'it is the same file with another beginning');
});
