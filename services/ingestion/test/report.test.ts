import { createHash } from 'node:crypto';
import t from 'tap';
import { CURRENT_RULES, LIMITS, policyOf } from '@sentinel-node/contracts';
import { fileEntity, HASH, newId, NOW, report, SEQUENCE, startWorld, until } from './support.ts';

t.test('[S7.22] POST /files/{orgId}/{deviceId}/{fileId} takes a report with X-API-Key', async (t) => {
  const world = await startWorld(t, { device: { files: [fileEntity({ path: 'journal/Ünïcode "x".log' })] } });
  const body = `{ "sequence": ${SEQUENCE},  "timestamp":"2026-11-21T10:00:00.000Z", "change":"FIRST","versions":[{"length":0,"hash":"${HASH}"}] }`;
  const answer = await world.send(body);
  t.equal(answer.statusCode, 202);
  t.same(answer.json(), { fileId: world.file.id, sequence: SEQUENCE });
  t.match(answer.headers['content-type'], /^application\/json/);

  const [record, ...others] = await world.records();
  t.same(others, []);
  t.equal(record!.key, world.file.id);
  t.equal(record!.id, `${world.file.id}:${SEQUENCE}`);
  t.equal(record!.report, body, 'the bytes are kept as received');
  const { nonce, ...header } = record!.header;
  t.match(nonce, /^[0-9a-f]{32}$/);
  t.same(header, {
    kind: 'report',
    v: 1,
    rules: CURRENT_RULES,
    orgId: world.device.orgId,
    deviceId: world.device.id,
    acceptedAt: NOW,
    fileId: world.file.id,
    policy: policyOf(world.device, world.file),
  });
});

t.test('each record has a nonce of its own', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 600; n += 1) await world.send(report({ sequence: SEQUENCE + n }));
  const nonces = (await world.records()).map(({ header }) => header.nonce);
  t.equal(new Set(nonces).size, 600);
});

t.test('401: the key does not fit, and nothing tells why', async (t) => {
  const world = await startWorld(t);
  const own = world.device;
  const right = world.key();
  const refused = await Promise.all([
    world.send(report(), { key: '' }),
    world.send(report(), { key: 'sk1.wrong' }),
    world.send(report(), { key: `${right.slice(0, -1)}_` }),
    world.send(report(), { key: world.key(own, 2) }),
    world.post(`/api/v1/files/${own.orgId}/${newId()}/${world.file.id}`, report(), { key: right }),
    world.post(`/api/v1/files/${newId()}/${own.id}/${world.file.id}`, report(), { key: right }),
    world.post(`/api/v1/files/${own.orgId}/nonsense/${world.file.id}`, report(), { key: right }),
  ]);
  const shapes = refused.map((answer) => ({ ...answer.json(), requestId: undefined }));
  for (const answer of refused) t.equal(answer.statusCode, 401);
  for (const shape of shapes) t.same(shape, shapes[0]);
  t.equal(shapes[0].code, 'INVALID_API_KEY');
  t.same(await world.records(), []);
});

t.test('401: a deleted device', async (t) => {
  const world = await startWorld(t);
  t.equal((await world.send(report())).statusCode, 202);
  const fileId = world.file.id;
  await world.change({ deleted: true, files: [], removedFiles: world.device.files });
  t.equal((await world.configuration()).statusCode, 401);
  await until(async () => (await world.send(report(), { fileId })).statusCode === 401);
});

t.test('404: an unknown file; 409: monitoring is off', async (t) => {
  const off = fileEntity({ enabled: false });
  const world = await startWorld(t, { device: { files: [fileEntity(), off] } });
  const unknown = await world.send(report(), { fileId: newId() });
  t.equal(unknown.statusCode, 404);
  t.equal(unknown.json().code, 'NOT_FOUND');
  t.equal((await world.send('nonsense', { fileId: 'nonsense' })).statusCode, 404);
  t.equal((await world.send(report(), { fileId: '__proto__' })).statusCode, 404);
  const disabled = await world.send(report(), { fileId: off.id });
  t.equal(disabled.statusCode, 409);
  t.equal(disabled.json().code, 'MONITORING_DISABLED');
  t.same(await world.records(), []);
});

t.test('409: monitoring of the device is off', async (t) => {
  const world = await startWorld(t, { device: { enabled: false } });
  t.equal((await world.send(report())).json().code, 'MONITORING_DISABLED');
});

t.test('422: a sequence more than 24 h ahead', async (t) => {
  const world = await startWorld(t);
  const highest = (NOW + LIMITS.sequenceAheadMs) * 1_000;
  const ahead = await world.send(report({ sequence: highest + 1 }));
  t.equal(ahead.statusCode, 422);
  t.equal(ahead.json().code, 'SEQUENCE_AHEAD');
  t.equal((await world.send(report({ sequence: highest }))).statusCode, 202);
});

t.test('413 and 415', async (t) => {
  const world = await startWorld(t);
  const text = JSON.stringify(report());
  const padded = (bytes: number): string => text + ' '.repeat(bytes - text.length);
  t.equal((await world.send(padded(LIMITS.reportBytes))).statusCode, 202);
  const large = await world.send(padded(LIMITS.reportBytes + 1));
  t.equal(large.statusCode, 413);
  t.equal(large.json().code, 'PAYLOAD_TOO_LARGE');
  t.equal((await world.send(report(), { type: 'text/plain' })).statusCode, 415);
  t.equal((await world.send(report(), { type: 'text/plain', key: 'sk1.no' })).statusCode, 401);
  t.equal((await world.send(report(), { type: 'application/x-ndjson' })).statusCode, 415);
  t.equal((await world.send(report(), { encoding: 'gzip' })).statusCode, 415);
  const [record] = await world.records();
  t.equal(
    createHash('sha256').update(record!.report).digest('hex'),
    createHash('sha256').update(padded(LIMITS.reportBytes)).digest('hex'),
  );
});

t.test('429 with Retry-After and RateLimit headers, and on again when time has passed', async (t) => {
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '2', SENTINEL_LIMIT_DEVICE_BURST: '3' };
  const world = await startWorld(t, { env });
  for (let n = 0; n < 3; n += 1) {
    t.equal((await world.send(report({ sequence: SEQUENCE + n }))).statusCode, 202);
  }
  const limited = await world.send(report({ sequence: SEQUENCE + 3 }));
  t.equal(limited.statusCode, 429);
  t.equal(limited.json().code, 'RATE_LIMITED');
  t.equal(Number(limited.headers['retry-after']), 1);
  t.equal(Number(limited.headers['ratelimit-limit']), 3);
  t.equal(Number(limited.headers['ratelimit-remaining']), 0);
  t.equal(Number(limited.headers['ratelimit-reset']), 2);
  world.clock.advance(500);
  t.equal((await world.send(report({ sequence: SEQUENCE + 3 }))).statusCode, 202);
});

t.test('429 when the devices of the organization together have sent too much', async (t) => {
  const env = { SENTINEL_LIMIT_ORGANIZATION_REPORTS: '2', SENTINEL_LIMIT_ORGANIZATION_BURST: '3' };
  const world = await startWorld(t, { env });
  for (let n = 0; n < 3; n += 1) {
    t.equal((await world.send(report({ sequence: SEQUENCE + n }))).statusCode, 202);
  }
  const limited = await world.send(report({ sequence: SEQUENCE + 3 }));
  t.equal(limited.statusCode, 429);
  t.match(limited.json(), { code: 'RATE_LIMITED', detail: /organization/ });
  t.equal(Number(limited.headers['ratelimit-limit']), 3);
  t.equal((await world.bulk(JSON.stringify({ fileId: world.file.id, ...report() }))).statusCode, 429);
  world.clock.advance(500);
  t.equal((await world.send(report({ sequence: SEQUENCE + 3 }))).statusCode, 202);
});

t.test('503 before memory grows', async (t) => {
  const world = await startWorld(t, { deps: { limits: { smallBodyBytes: 400 } } });
  t.equal((await world.send(report())).statusCode, 202);
  const busy = await world.send(report({ signature: 'x'.repeat(250) }));
  t.equal(busy.statusCode, 503);
  t.equal(busy.json().code, 'OVERLOADED');
  t.equal(Number(busy.headers['retry-after']), 1);
  t.equal(
    (await world.send(report({ sequence: SEQUENCE + 1 }))).statusCode,
    202,
    'what was held is free again',
  );
});
