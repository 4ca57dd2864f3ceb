/** Tests which file a path names: by the working directory of the device, and after the path was changed. */
import t from 'tap';
import type { File, HeartbeatAnswer } from '@sentinel-node/contracts';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { MODIFIABLE, version, type ReportFields } from './support/reporter.ts';
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

t.test('after another path, looks at the earlier one show no contact', { timeout: FILE_MS }, async (t) => {
  const { agent, admin, files } = await scene(t, { moved: {}, stayed: {} });
  const { moved = '', stayed = '' } = files;
  const contactOf = async (id: string) => (await admin.done('GET', `/files/${agent.path}/${id}`)) as File;
  const beat = async (): Promise<HeartbeatAnswer> => {
    const now = new Date().toISOString();
    const of = [moved, stayed].map((id) => ({ id, checkedAt: now }));
    const heartbeat = { timestamp: now, instanceId: 'one', agentVersion: '1', queue: 0, oldestUnsent: null };
    const { status, body } = await agent.post(`/devices/health/${agent.path}`, { ...heartbeat, files: of });
    t.equal(status, 200);
    return body as unknown as HeartbeatAnswer;
  };
  const judged = (id: string, sequence: number) =>
    until('the report to be judged', async () => {
      const found = (await beat()).files.find((file) => file.id === id);
      return found?.lastSequence === sequence ? true : undefined;
    });
  const report = async (id: string, fields: Omit<ReportFields, 'sequence'>): Promise<void> => {
    const sequence = agent.nextSequence();
    await agent.reportWith(id, { ...fields, sequence });
    await judged(id, sequence);
  };
  const { configVersion: before } = await beat();
  for (const id of [moved, stayed])
    await report(id, { change: 'FIRST', versions: [version('a')], configVersion: before });
  await until('contact', async () => ((await contactOf(moved)).contact === 'OK' ? true : undefined));

  const wish = { ...MODIFIABLE, id: moved, name: 'moved', path: 'files/elsewhere' };
  await admin.done('PUT', `/devices/files/${agent.path}`, { files: [wish] });
  matchWhole(t, await contactOf(moved), { contact: 'WAITING', lastContact: null });
  const { configVersion } = await until('ingestion to know', async () => {
    const answer = await beat();
    return answer.configVersion > before ? answer : undefined;
  });
  await report(moved, { change: 'UNCHANGED', versions: [version('a')], configVersion: before });
  await report(stayed, { change: 'UNCHANGED', versions: [version('a')], configVersion: before });
  matchWhole(t, await contactOf(moved), { contact: 'WAITING', lastContact: null });
  t.equal((await contactOf(stayed)).contact, 'OK', 'nothing changed for the other file');
  t.strictSame(await alertsOf(agent, moved), [], 'the verdict is as before');

  await report(moved, { change: 'FIRST', versions: [version('b')], configVersion });
  await until('contact', async () => ((await contactOf(moved)).contact === 'OK' ? true : undefined));
  const [newest] = await linksOnce(agent, moved, 2);
  t.match(newest, { firstHash: true, hash: version('b').hash });
});
