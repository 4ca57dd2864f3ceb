import t from 'tap';
import { decodeFileEvent, policyOf, type DeviceEntity, type Report } from '@sentinel-node/contracts';
import { KeyedThrottle, systemRandom } from '@sentinel-node/platform';
import { reportRecord } from '../src/domain/accept.ts';
import { bulkLines } from '../src/domain/bulk-lines.ts';
import { acceptedKeyVersions } from '../src/domain/device-key.ts';
import { snapshotOf } from '../src/domain/device-snapshot.ts';
import { mayRepeatNames } from '../src/domain/repeated-names.ts';
import { HeardDevices } from '../src/heard-devices.ts';
import { Nonces } from '../src/nonces.ts';
import { deviceEntity, fileEntity, NOW, report, SEQUENCE } from './support.ts';

t.test('the record is a header and the bytes of the report', async (t) => {
  const file = fileEntity({ path: 'ü/"\\\n.log', rolled: true, rolledFilenameRegexp: '^a\\.\\d$' });
  const entity = deviceEntity({ files: [file] });
  const device = snapshotOf(entity, 4);
  const bytes = Buffer.from(' {"a":"ü"}\n\n ');
  for (const nowMs of [NOW, 0, 2 ** 48 - 1]) {
    const source = { device, source: bytes, start: 1, end: bytes.length - 1, allocate: Buffer.allocUnsafe };
    const nonce = new Uint8Array(16).fill(0xab);
    const found = device.files.get(file.id)!;
    const record = reportRecord(source, found, { sequence: SEQUENCE }, nowMs, nonce);
    const { header, report } = decodeFileEvent(record.body);
    t.same(Buffer.from(report), bytes.subarray(1, -1));
    t.match(header, { acceptedAt: nowMs, nonce: 'ab'.repeat(16), policy: policyOf(entity, file) });
  }
});

t.test('most reports are shown by counting to repeat no name; no repeated one is missed', async (t) => {
  const check = (text: string) => mayRepeatNames(text, JSON.parse(text) as Report);
  t.notOk(check(JSON.stringify(report())));
  t.notOk(check(JSON.stringify(report({ instanceId: 'a' }))));
  const attributes = { kind: 'FILE', mode: '0644', owner: 0 } as const;
  const mtime = '2026-11-21T10:00:00.000Z';
  t.notOk(check(JSON.stringify(report({ attributes }))));
  t.notOk(check(JSON.stringify(report({ attributes: { ...attributes, mtime } }))));
  t.ok(check(JSON.stringify(report({ attributes })).replace('"mode"', '"mode":"0","mode"')));
  t.ok(check(JSON.stringify(report({ attributes: { ...attributes, linkTarget: 'a' } }))));
  t.ok(check('{"versions":[],"versions":[],"timestamp":"a:b:c"}'));
  t.ok(check('{"versions":[],"error":{"code":"1","code":"2"}}'));
  t.ok(check('{"versions":[],"versions" \n : [],"signature":""}'));
  t.ok(check('{"versions":[],"\\u0076ersions":[]}'));
});

t.test('lines end with LF or CR LF', async (t) => {
  const split = (text: string, max = 10) =>
    bulkLines(Buffer.from(text), max)?.map(({ line, start, end }) => `${line} ${text.slice(start, end)}`);
  t.same(split(''), []);
  t.same(split('a'), ['1 a']);
  t.same(split('a\nb'), ['1 a', '2 b']);
  t.same(split('a\r\nb\r\n'), ['1 a', '2 b']);
  t.same(split('\n\r\n a\n\nb'), ['3  a', '5 b']);
  t.same(split('a\r'), ['1 a\r'], 'a lone CR ends nothing');
  t.same(split('a\rb\n'), ['1 a\rb']);
  t.same(split('a\nb\n', 2), ['1 a', '2 b']);
  t.equal(split('a\nb\n\n', 2), undefined, 'an empty line is one more');
  t.equal(split('a\nb\nc', 2), undefined);
});

t.test('versions of the key', async (t) => {
  t.same(acceptedKeyVersions(deviceEntity(), NOW), [1]);
  const rotated = deviceEntity({ keyVersion: 2, previousKey: { version: 1, validUntil: NOW } });
  t.same(acceptedKeyVersions(rotated, NOW - 1), [2, 1]);
  t.same(acceptedKeyVersions(rotated, NOW), [2]);
  t.same(acceptedKeyVersions({ ...rotated, deleted: true }, NOW - 1), []);
  const earlierKeys = [
    { version: 2, validUntil: NOW + 1 },
    { version: 1, validUntil: NOW },
  ];
  const often = deviceEntity({
    keyVersion: 4,
    previousKey: { version: 3, validUntil: NOW + 2 },
    earlierKeys,
  });
  t.same(acceptedKeyVersions(often, NOW - 1), [4, 3, 2, 1]);
  t.same(acceptedKeyVersions(often, NOW), [4, 3, 2]);
  t.same(acceptedKeyVersions(often, NOW + 1), [4, 3]);
});

t.test('what is remembered is bounded', async (t) => {
  const once = new KeyedThrottle(100, 2);
  for (const [at, key] of ['a', 'b', 'c'].entries()) t.ok(once.take(key, at));
  t.equal(once.size, 2);
  t.notOk(once.take('c', 50));
  t.ok(once.take('a', 50), 'the oldest was forgotten');
  t.ok(once.take('a', 49), 'the clock was set back');
  t.notOk(once.take('a', 50), 'and counts from then on');
  const devices = new HeardDevices(1);
  const [one, other] = [deviceEntity(), deviceEntity()];
  for (const instance of ['a', 'b']) hearAt(devices, one, instance, 0);
  hearAt(devices, other, 'a', 1);
  t.notOk(hearAt(devices, one, 'a', 2), 'the other device took its place');
});

t.test('three agents of one device are found too', async (t) => {
  const devices = new HeardDevices(10);
  const device = deviceEntity();
  const seen = ['a', 'b', 'c', 'a'].map((instance, at) => hearAt(devices, device, instance, at));
  t.same(seen, [false, false, false, true]);
});

/** Returns whether the heartbeat shows two agents. */
function hearAt(
  devices: HeardDevices,
  device: DeviceEntity,
  instanceId: string,
  atMs: number,
): boolean | undefined {
  const heartbeat = {
    ...{ timestamp: new Date(atMs).toISOString(), instanceId, agentVersion: '1', files: [] },
    ...{ queue: 0, oldestUnsent: null },
  };
  return devices.take(device, heartbeat, atMs)?.isAlternating;
}

t.test('nonces', async (t) => {
  const nonces = new Nonces(systemRandom);
  const given = Array.from({ length: 1_500 }, () => nonces.next());
  t.equal(new Set(given).size, given.length);
  for (const nonce of given) t.match(nonce, /^[0-9a-f]{32}$/);
});
