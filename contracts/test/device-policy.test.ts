import t from 'tap';
import {
  agentConfiguration,
  policyDiffers,
  policyOf,
  type DeviceEntity,
  type FileEntity,
  type Policy,
} from '../src/index.ts';

const FILE = {
  modifiable: true,
  rolled: false,
  enabled: true,
  monitoringFrequency: 'FOLLOW',
} as FileEntity;
const DEVICE = { configVersion: 1, enabled: true, deleted: false, category: 'STANDARD' } as DeviceEntity;

t.test('the path of a policy tells which file it is, wherever that is written down', async (t) => {
  const cases = [
    ['/srv', 'logs/app.log', '/srv/logs/app.log'],
    ['/srv/', 'logs/app.log', '/srv/logs/app.log'],
    ['/srv', '/var/log/app.log', '/var/log/app.log'],
    ['', 'logs/app.log', 'logs/app.log'],
    ['C:\\Service', 'app.log', 'C:\\Service\\app.log'],
    ['C:\\', 'app.log', 'C:\\app.log'],
    ['C:\\Service', '\\app.log', '\\app.log'],
    ['/srv/a\\', 'app.log', '/srv/a\\/app.log'],
    ['C:\\Service', 'D:\\app.log', 'D:\\app.log'],
    ['C:\\Service', '\\\\host\\share\\app.log', '\\\\host\\share\\app.log'],
  ] as const;
  for (const [directory, path, whole] of cases)
    t.equal(policyOf({ ...DEVICE, path: directory }, { ...FILE, path }).path, whole);
});

t.test('another working directory is another policy for relative paths only', async (t) => {
  const differs = (path: string) =>
    policyDiffers(
      policyOf({ ...DEVICE, path: '/srv/one' }, { ...FILE, path }),
      policyOf({ ...DEVICE, path: '/srv/two', configVersion: 2 }, { ...FILE, path }),
    );
  t.ok(differs('app.log'));
  t.notOk(differs('/var/log/app.log'));
});

t.test('a policy is made of the settings of the file and of its device', async (t) => {
  const device = { ...DEVICE, configVersion: 7, path: '/srv' };
  const file = { ...FILE, path: 'app.log' };
  t.same(policyOf(device, file), {
    configVersion: 7,
    modifiable: true,
    rolled: false,
    enabled: true,
    monitoringFrequency: 'FOLLOW',
    category: 'STANDARD',
    path: '/srv/app.log',
    rolledFilenameRegexp: '',
  });
  const enabled = (ofDevice: Partial<DeviceEntity>, ofFile: Partial<FileEntity>) =>
    policyOf({ ...device, ...ofDevice }, { ...file, ...ofFile }).enabled;
  t.notOk(enabled({ enabled: false }, {}));
  t.notOk(enabled({ deleted: true }, {}));
  t.notOk(enabled({}, { enabled: false }));
  const expression = (rolled: boolean, rolledFilenameRegexp?: string) =>
    policyOf(device, {
      ...file,
      rolled,
      ...(rolledFilenameRegexp === undefined ? {} : { rolledFilenameRegexp }),
    }).rolledFilenameRegexp;
  t.equal(expression(true, 'app\\.log\\.1'), 'app\\.log\\.1');
  t.equal(expression(false, 'app\\.log\\.1'), '', 'of a file that is not rolled it says nothing');
  t.equal(expression(true), '');
});

t.test('attributes are watched of a file that must not change, when a person chose so', async (t) => {
  const policy = (fields: Partial<FileEntity>) => policyOf(DEVICE, { ...FILE, path: '/a', ...fields });
  t.equal(policy({ modifiable: false, watchAttributes: true }).watchAttributes, true);
  for (const fields of [
    { modifiable: false },
    { modifiable: false, watchAttributes: false },
    { watchAttributes: true },
  ])
    t.notOk('watchAttributes' in policy(fields), 'its bytes and its hash stay as they were');
});

t.test('only an agent that knows attributes is asked for them', async (t) => {
  const file = { ...FILE, path: '/a', modifiable: false, watchAttributes: true };
  const device = { ...DEVICE, files: [file, { ...file, modifiable: true }] } as DeviceEntity;
  const asked = (knows?: boolean) =>
    agentConfiguration(device, 'key', 'a', knows).files.map(({ attributes }) => attributes);
  t.same(asked(true), [true, undefined]);
  t.same(asked(), [undefined, undefined]);
});

t.test('policies differ by each of their settings but their version', async (t) => {
  const policy = policyOf({ ...DEVICE, path: '/srv' }, { ...FILE, path: 'app.log' });
  const changes: Partial<Policy>[] = [
    { modifiable: false },
    { rolled: true },
    { enabled: false },
    { monitoringFrequency: 'PROBE' },
    { category: 'MISSION_CRITICAL' },
    { path: '/srv/other.log' },
    { rolledFilenameRegexp: 'x' },
    { watchAttributes: true },
  ];
  t.equal(
    changes.length,
    Object.keys(policy).length,
    'all but the version, and what is left out when it is off',
  );
  for (const change of changes) t.ok(policyDiffers(policy, { ...policy, ...change }), JSON.stringify(change));
  t.notOk(policyDiffers(policy, { ...policy, configVersion: 99 }));
});

t.test('an agent gets the files that are watched, with what it needs of each', async (t) => {
  const files = [
    { ...FILE, id: 'f1', path: 'a.log', type: 'TEXT', interval: 5 },
    {
      ...FILE,
      id: 'f2',
      path: 'b.bin',
      type: 'BINARY',
      monitoringFrequency: 'PROBE',
      interval: 5,
      modifiable: false,
      rolled: true,
      rolledFilenameRegexp: 'b.*',
    },
    { ...FILE, id: 'f3', path: 'c.bin', type: 'BINARY', monitoringFrequency: 'PROBE', rolled: true },
    { ...FILE, id: 'f4', path: 'd.log', type: 'TEXT', enabled: false },
  ] as FileEntity[];
  const device = { ...DEVICE, orgId: 'o', id: 'd', healthInterval: 60, path: '/srv', files } as DeviceEntity;
  const of = (change: Partial<DeviceEntity>) =>
    agentConfiguration({ ...device, ...change }, 'key', 'https://example.org/api/v1');
  t.strictSame(of({}), {
    orgId: 'o',
    devId: 'd',
    apiKey: 'key',
    healthInterval: 60,
    workingDirectory: '/srv',
    sentinelAddress: 'https://example.org/api/v1',
    clearOrphanedProcesses: true,
    files: [
      { id: 'f1', path: 'a.log', type: 'FOLLOW', rolled: false, modifiable: true, data: 'text' },
      {
        id: 'f2',
        path: 'b.bin',
        type: 'PROBE',
        interval: 5,
        rolled: true,
        rolledfilenameregexp: 'b.*',
        modifiable: false,
        data: 'binary',
      },
      {
        id: 'f3',
        path: 'c.bin',
        type: 'PROBE',
        interval: 1,
        rolled: true,
        rolledfilenameregexp: '',
        modifiable: true,
        data: 'binary',
      },
    ],
  });
  t.same(of({ enabled: false }).files, []);
  t.same(of({ deleted: true }).files, []);
});
