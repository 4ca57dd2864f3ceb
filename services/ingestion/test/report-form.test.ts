import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { fileEntity, HASH, newId, report, SEQUENCE, startWorld, until, type World } from './support.ts';

const notices = async (world: World) => {
  const records = await world.records();
  return records.filter(({ header }) => header.kind === 'notice');
};

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const withMember = (member: string): string => `{${member},${JSON.stringify(report()).slice(1)}`;
const withAttributes = (of: object): string =>
  JSON.stringify({ ...report(), attributes: { kind: 'FILE', ...of } });
const archive = { name: 'app.log.1', length: 1, hash: HASH };

const unfit: Record<string, string | Buffer> = {
  'an empty body': '',
  'not JSON': '{"sequence":',
  'not an object': '[]',
  'a number': '17',
  'a BOM': `\ufeff${JSON.stringify(report())}`,
  'not UTF-8': Buffer.concat([Buffer.from('{"change":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
  'a broken character inside a string': Buffer.concat([
    Buffer.from(withMember('"signature":"').replace(',"sequence"', '')).subarray(0, 14),
    Buffer.from([0xc3]),
    Buffer.from(`",${JSON.stringify(report()).slice(1)}`),
  ]),
  'two reports': `${JSON.stringify(report())}${JSON.stringify(report())}`,
  'nested deeply': deep(500_000),
  'nested deeply in a member': withMember(`"error":${deep(100_000)}`),
  'an unknown member': withMember('"more":1'),
  __proto__: withMember('"__proto__":{"sequence":1}'),
  constructor: withMember('"constructor":{"prototype":{"polluted":true}}'),
  'fileId, which only a bulk line has': JSON.stringify(report({ fileId: newId() })),
  'no sequence': JSON.stringify(report({ sequence: undefined })),
  'a sequence below zero': JSON.stringify(report({ sequence: -1 })),
  'a sequence with a fraction': JSON.stringify(report({ sequence: 1.5 })),
  'a sequence beyond 2^53': withMember('"configVersion":1').replace(String(SEQUENCE), '9007199254740992'),
  'a sequence that is rounded': JSON.stringify(report()).replace(String(SEQUENCE), `${SEQUENCE}.1`),
  'a sequence that is rounded, with an exponent': JSON.stringify(report()).replace(
    String(SEQUENCE),
    `${SEQUENCE}1e-1`,
  ),
  'a length that is rounded to nothing': JSON.stringify(report()).replace(
    '"length":1024',
    '"length" : 1e-400',
  ),
  'a length with many digits': JSON.stringify(report()).replace(
    '"length":1024',
    `"length":1024.${'0'.repeat(1_000)}1`,
  ),
  'a sequence as text': JSON.stringify(report({ sequence: '1' })),
  'an unknown change': JSON.stringify(report({ change: 'first' })),
  'a hash in capitals': JSON.stringify(report({ versions: [{ length: 1, hash: HASH.toUpperCase() }] })),
  'a short hash': JSON.stringify(report({ versions: [{ length: 1, hash: 'ab' }] })),
  'a length below zero': JSON.stringify(report({ versions: [{ length: -1, hash: HASH }] })),
  '1,001 versions': JSON.stringify(report({ versions: Array(1_001).fill({ length: 1, hash: HASH }) })),
  '101 archives': JSON.stringify(report({ archives: Array(101).fill(archive) })),
  'a time that has no milliseconds': JSON.stringify(report({ timestamp: '2026-11-21T10:00:00Z' })),
  'a time with an offset': JSON.stringify(report({ timestamp: '2026-11-21T10:00:00.000+01:00' })),
  'a day that does not exist': JSON.stringify(report({ timestamp: '2026-02-30T10:00:00.000Z' })),
  'a month that does not exist': JSON.stringify(report({ timestamp: '2026-13-01T10:00:00.000Z' })),
  'hour 24': JSON.stringify(report({ timestamp: '2026-11-21T24:00:00.000Z' })),
  'a time before 1970': JSON.stringify(report({ timestamp: '1969-12-31T23:59:59.999Z' })),
  'a repeated member': withMember('"change":"MISSING"'),
  'a repeated member, spelled with an escape': withMember('"ch\\u0061nge":"MISSING"'),
  'a repeated member in a version': JSON.stringify(report()).replace(
    '"length":1024',
    '"length":1,"length":1024',
  ),
  'a repeated member beside an error with colons': withMember(
    '"error":{"code":"a:b","message":"x: y"},"configVersion":1,"configVersion":2',
  ),
  'a negative mode': withAttributes({ mode: '-644' }),
  'a mode as a number': withAttributes({ mode: 420 }),
  'an owner below zero': withAttributes({ owner: -1 }),
  'a link target of a megabyte': withAttributes({ kind: 'LINK', linkTarget: 'x'.repeat(1_000_000) }),
  'an unknown kind': withAttributes({ kind: 'DOOR' }),
  'an unknown attribute': withAttributes({ acl: 'x' }),
  'a changed time that does not exist': withAttributes({ mtime: '2026-02-30T10:00:00.000Z' }),
  'a repeated attribute': withAttributes({ mode: '0644' }).replace('"mode"', '"mode":"0600","mode"'),
  'a repeated attribute beside a target with colons': withAttributes({
    kind: 'LINK',
    linkTarget: 'a:b:c',
    mode: '0644',
  }).replace('"mode"', '"mode":"0600","mode"'),
  'repeated attributes': withAttributes({}).replace(
    '"attributes":',
    '"attributes":{"kind":"LINK"},"attributes":',
  ),
  'a lone surrogate in a link target': withAttributes({ kind: 'LINK', linkTarget: 'x' }).replace(
    '"x"',
    '"\\ud800"',
  ),
  'a lone surrogate': withMember('"error":{"code":"E","message":"\\ud800"}'),
  'a lone surrogate in the name of an archive': withMember(
    `"archives":[{"name":"\\udc00","length":1,"hash":"${HASH}"}]`,
  ),
};

t.test('422 and one MALFORMED_DATA event for a body that does not fit', async (t) => {
  const files = Object.keys(unfit).map((name) => fileEntity({ path: `logs/${name}` }));
  const world = await startWorld(t, { device: { files } });
  for (const [index, [name, body]] of Object.entries(unfit).entries()) {
    const answer = await world.send(body, { fileId: files[index]!.id });
    t.equal(answer.statusCode, 422, name);
    const problem = answer.json();
    t.equal(problem.code, 'VALIDATION_FAILED', name);
    t.ok(problem.errors.length > 0 && problem.errors.length <= 8, name);
  }
  const found = await notices(world);
  t.equal((await world.records()).length, found.length, 'no report was taken');
  t.same(found.map(({ key }) => key).sort(), files.map(({ id }) => id).sort());
  for (const { key, header } of found) {
    t.match(header, { type: 'MALFORMED_DATA', code: 'VALIDATION_FAILED', fileId: key });
  }
  t.equal(({} as { polluted?: boolean }).polluted, undefined);
});

t.test('a member that is given twice is named, in a bulk line too', async (t) => {
  const world = await startWorld(t);
  const body = JSON.stringify(report()).replace('"length":1024', '"length":1,"length":1024');
  const path = '/versions/0/length';
  const message = 'must not be given twice';
  t.same((await world.send(body)).json().errors, [{ path, message }]);
  const line = `{"fileId":"${world.file.id}",${body.slice(1)}`;
  matchList(t, (await world.bulk(line)).json().rejected, [
    { line: 1, detail: new RegExp(`${path} ${message}`) },
  ]);
});

t.test('what fits is taken as it is', async (t) => {
  const world = await startWorld(t);
  const bodies = [
    report({ change: 'ERROR', versions: [], error: { code: 'EACCES', message: 'a: "b" \u0000 \\ 😀 ü' } }),
    report({ change: 'ROLLED', archives: [{ ...archive, name: 'añb:{}"\\.gz' }], signature: 'x:y' }),
    report({ reread: false, configVersion: 7, instanceId: 'one-2' }),
    report({ versions: Array(1_000).fill({ length: 1, hash: HASH }) }),
    report({ archives: Array(100).fill(archive) }),
    report({ versions: [] }),
    report({ timestamp: '2024-02-29T23:59:59.999Z' }),
  ].map((body) => JSON.stringify(body));
  bodies.push(`\r\n\t ${JSON.stringify(report(), null, 2)} \n`);
  bodies.push(withMember('"error":{"code":"\\u0045","message":"\\ud83d\\ude00 \\" : \\\\"}'));
  bodies.push(JSON.stringify(report()).replace(String(SEQUENCE), `${SEQUENCE / 1_000}e3`));
  for (const length of ['1024.0', '10240e-1', '1.024E+3', '0.0', '0e5'])
    bodies.push(JSON.stringify(report()).replace('"length":1024', `"length":${length}`));
  bodies.push(withMember(`"error":{"code":"E","message":"{\\"length\\":${SEQUENCE}.1}"}`));
  for (const body of bodies) t.equal((await world.send(body)).statusCode, 202, body.slice(0, 200));
  t.same(
    (await world.records()).map((record) => record.report),
    bodies,
  );
});

t.test('at most one MALFORMED_DATA event a minute for a file', async (t) => {
  const files = [fileEntity(), fileEntity({ path: 'other' })];
  const world = await startWorld(t, { device: { files } });
  const wrong = (file: number) => world.send('{}', { fileId: files[file]!.id });
  await Promise.all(Array.from({ length: 20 }, () => wrong(0)));
  t.equal((await notices(world)).length, 1);
  await wrong(1);
  t.equal((await notices(world)).length, 2, 'another file has its own');
  world.clock.advance(59_999);
  await wrong(0);
  t.equal((await notices(world)).length, 2);
  world.clock.advance(1);
  await wrong(0);
  t.equal((await notices(world)).length, 3);
});

t.test('no event for a file that the device does not have, or that is not monitored', async (t) => {
  const world = await startWorld(t, { device: { files: [fileEntity({ enabled: false })] } });
  t.equal((await world.send('{}')).statusCode, 409);
  t.equal((await world.send('{}', { fileId: newId() })).statusCode, 404);
  t.same(await notices(world), []);
});

t.test('the event names the fault and not the value', async (t) => {
  const world = await startWorld(t);
  await world.send(report({ change: 'a secret' }));
  await until(async () => (await notices(world)).length === 1);
  const [notice] = await notices(world);
  t.match(notice!.header, { message: /change/ });
  t.notMatch(JSON.stringify(notice), /a secret/);
});
