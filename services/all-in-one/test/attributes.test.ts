/**
 * Tests that the real agent reports permissions and links, that a change of a watched attribute raises an
 * alert with both values, and that a list expects a replaced file that has kept them.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { checkConfiguration } from '@sentinel-node/agent';
import type { Alert, FileInput } from '@sentinel-node/contracts';
import { startChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL } from './support/node.ts';
import { alertsOf, scene as sceneOf, linksOf, raisedOn, turnOff } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

/** When each file was changed last: no two at once, so that a file in place of another has another time. */
const WRITTEN = {
  fixed: '2026-01-01T00:00:00.000Z',
  linked: '2026-01-02T00:00:00.000Z',
  unasked: '2026-01-03T00:00:00.000Z',
  editable: '2026-01-04T00:00:00.000Z',
  released: '2026-01-05T00:00:00.000Z',
  loosened: '2026-01-06T00:00:00.000Z',
};

type Name = keyof typeof WRITTEN;

t.setTimeout(FILE_MS);
t.test('permissions, owner and kind of files', { timeout: FILE_MS }, async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => join(folder, 'watched', name);
  mkdirSync(join(folder, 'watched'));
  const wish = (name: Name, fields: Partial<FileInput>): Partial<FileInput> => {
    writeFileSync(at(name), 'the same\n');
    chmodSync(at(name), 0o644);
    const written = new Date(WRITTEN[name]);
    utimesSync(at(name), written, written);
    return { path: at(name), monitoringFrequency: 'PROBE', interval: 1, ...fields };
  };
  const { agent, admin, files, stream } = await sceneOf(t, {
    fixed: wish('fixed', { modifiable: false }),
    linked: wish('linked', { modifiable: false }),
    unasked: wish('unasked', { modifiable: false, watchAttributes: false }),
    editable: wish('editable', { modifiable: true }),
    released: wish('released', { modifiable: false }),
    loosened: wish('loosened', { modifiable: false }),
  });
  const id = (name: Name): string => files[name] ?? '';
  const fileOf = (name: Name) => admin.done('GET', `/files/${agent.path}/${id(name)}`);
  t.equal((await fileOf('fixed')).watchAttributes, true, 'on for a new file that must not change');
  t.notOk('attributesTold' in (await fileOf('fixed')), 'not before an agent told them');

  const downloaded = checkConfiguration(await admin.done('GET', `/devices/config/${agent.path}`), 'download');
  t.notOk(JSON.stringify(downloaded).includes('attributes'), 'an agent of any version can read it');
  const config = join(folder, 'agent.json');
  writeFileSync(config, JSON.stringify(downloaded));
  startChild(t, [SENTINEL, 'agent', '--config', config, '--state', join(folder, 'state')], {});
  await until('attributes of all that are watched', async () => {
    const told = await Promise.all((['fixed', 'linked', 'released', 'loosened'] as const).map(fileOf));
    return told.every((file) => file.attributesTold === true) ? true : undefined;
  });

  for (const name of ['fixed', 'unasked', 'editable']) chmodSync(at(name), 0o666);
  const alert = await raisedOn(stream, id('fixed'), 'UNEXPECTED_CHANGE');
  t.same(alert.attributeChanges, [{ name: 'mode', before: '0644', after: '0666' }]);
  t.match(alert.eventRequest, { change: 'UNCHANGED', attributes: { kind: 'FILE', mode: '0666' } });
  const read = (await admin.done('GET', `/alerts/${agent.path}/${alert.id}`)) as Alert;
  t.same(read.attributeChanges, alert.attributeChanges, 'a read gives what the stream gave');
  const [link] = await linksOf(agent, id('fixed'));
  matchWhole(t, link, { alerts: [{ id: alert.id }] }, 'it stands in the chain');

  symlinkSync(at('fixed'), at('link'));
  renameSync(at('link'), at('linked'));
  const linked = await raisedOn(stream, id('linked'), 'UNEXPECTED_CHANGE');
  matchList(t, linked.attributeChanges, [
    { name: 'kind', before: 'FILE', after: 'LINK' },
    { name: 'linkTarget', before: null, after: at('fixed') },
    { name: 'mode', before: '0644', after: '0666' },
    { name: 'mtime', before: WRITTEN.linked, after: WRITTEN.fixed },
    { name: 'inode' },
  ]);

  await turnOff(admin, alert, 'DEACTIVATED', { note: 'planned' });
  chmodSync(at('fixed'), 0o600);
  const next = await until('the next alert', async () =>
    (await alertsOf(agent, id('fixed'))).find(({ status }) => status === 'ACTIVE'),
  );
  t.same(next.attributeChanges, [{ name: 'mode', before: '0666', after: '0600' }]);

  // The agent looks at these files every second, so it has reported by now.
  for (const name of ['unasked', 'editable'] as const) {
    writeFileSync(at(name), 'another\n');
    await until(`the change of ${name}`, async () =>
      (await linksOf(agent, id(name))).length > 1 ? true : undefined,
    );
  }
  t.same(
    await alertsOf(agent, id('editable')),
    [],
    'a file that may change may have its permissions changed',
  );
  matchList(t, await alertsOf(agent, id('unasked')), [{ occurrences: 1 }], 'only for the content');
  t.notOk('attributeChanges' in (await alertsOf(agent, id('unasked')))[0]!);

  const release = 'version 2\n';
  const sha256 = createHash('sha256').update(release).digest('hex');
  const made = (await admin.done('POST', `/expected/${admin.orgId}`, {
    reason: 'Release 2',
    scope: { deviceIds: [agent.deviceId] },
    end: new Date(Date.now() + FILE_MS).toISOString(),
    entries: (['released', 'loosened'] as const).map((name) => ({ path: at(name), sha256 })),
  })) as { readonly id: string };
  const replace = async (name: Name, mode: number): Promise<Alert> => {
    writeFileSync(at('new'), release);
    chmodSync(at('new'), mode);
    renameSync(at('new'), at(name));
    const { id: alertId } = await raisedOn(stream, id(name), 'UNEXPECTED_CHANGE');
    return (await admin.done('GET', `/alerts/${agent.path}/${alertId}`)) as Alert;
  };
  const released = await replace('released', 0o644);
  t.same(namesOf(released), ['size', 'mtime', 'inode'], 'which no replaced file keeps');
  t.same(released.expected, { listId: made.id, reason: 'Release 2' });
  const loosened = await replace('loosened', 0o666);
  t.same(namesOf(loosened), ['mode', 'size', 'mtime', 'inode']);
  t.notOk('expected' in loosened, 'the list says nothing of permissions');
});

const namesOf = ({ attributeChanges }: Alert) => attributeChanges?.map(({ name }) => name);
