import t from 'tap';
import { policyDiffers, policyOf, type DeviceEntity, type FileEntity } from '../src/index.ts';

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
