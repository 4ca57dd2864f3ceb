import { readFileSync } from 'node:fs';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import * as portable from '../src/bytes/text-portable.ts';
import * as node from '../src/bytes/text-node.ts';
import {
  ALERT_TYPES,
  CATEGORIES,
  CHANGES,
  decodeChainBody,
  decodeChainLeaves,
  decodeChainRecord,
  decodeCompactReport,
  decodeFileEvent,
  encodeChainRecord,
  ENTRY_KINDS,
  eventId,
  fromHex,
  readPlainReport,
  RecordFormatError,
  reportBytes,
  reportEnd,
  reportStart,
  toHex,
  utf8,
  uuidV7,
  writeReport,
  type ChainRecord,
  type Entry,
  type FileState,
  type Policy,
  type Report,
  type ReportHeader,
} from '../src/index.ts';

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((it) => Buffer.from(it).toString('hex'));
const hash = hexOf(32);
const count = fc.oneof(fc.maxSafeNat(), fc.nat(300));
const timeMs = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
const uuid = fc
  .tuple(timeMs, fc.uint8Array({ minLength: 10, maxLength: 10 }))
  .map(([ms, bytes]) => uuidV7(ms, bytes));
const id = fc.oneof(
  fc.tuple(timeMs, fc.uint8Array()).map(([ms, cause]) => eventId(ms, 'LINK', cause)),
  fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/),
);

const entry: fc.Arbitrary<Entry> = fc
  .record(
    {
      id,
      number: count,
      kind: fc.constantFrom(...ENTRY_KINDS),
      acceptedAt: timeMs,
      versionIndex: count,
      policyHash: hash,
      reportedAt: timeMs,
      sequence: count,
      reportHash: hash,
      alertType: fc.constantFrom(...ALERT_TYPES),
      child: uuid,
      contentHash: hash,
      length: count,
      actor: uuid,
      noteHash: hash,
      causeNumber: count,
      nonce: hexOf(16),
      linkHash: hash,
      firstHash: fc.boolean(),
      alertId: id,
      whileDisabled: fc.constant(true as const),
    },
    {
      requiredKeys: [
        ...(['id', 'number', 'kind', 'acceptedAt', 'versionIndex', 'policyHash'] as const),
        ...(['nonce', 'linkHash', 'firstHash'] as const),
      ],
    },
  )
  .map((it): Entry => ({ ...it }));

const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of);
const file: fc.Arbitrary<FileState> = fc.record(
  {
    length: orNull(count),
    hash: orNull(hash),
    missing: fc.boolean(),
    sequence: count,
    configVersion: count,
    number: orNull(count),
    linkHash: orNull(hash),
    lastLinkId: orNull(id),
    activeAlerts: count,
    checkedAt: orNull(timeMs),
    contactAt: orNull(timeMs),
    attributesTold: fc.constant(true as const),
  },
  {
    requiredKeys: [
      ...(['length', 'hash', 'missing', 'sequence', 'configVersion', 'number', 'linkHash'] as const),
      ...(['lastLinkId', 'activeAlerts', 'checkedAt', 'contactAt'] as const),
    ],
  },
);

const chainEvent = fc.record({
  id,
  type: fc.constant('ALERT' as const),
  alertId: orNull(id),
  hashId: orNull(id),
  note: fc.string({ unit: 'binary' }),
});

/** Records whose state often repeats values of the last entry, as in a real log. */
const chain: fc.Arbitrary<ChainRecord> = fc
  .record({
    v: fc.constant(1 as const),
    rules: count,
    orgId: uuid,
    deviceId: uuid,
    fileId: orNull(uuid),
    rev: count,
    timestamp: timeMs,
    category: fc.constantFrom(...CATEGORIES),
    entries: fc.array(entry, { maxLength: 3 }),
    alerts: fc.constant<ChainRecord['alerts']>([]),
    events: fc.array(chainEvent, { maxLength: 2 }),
    file: orNull(file),
    isSame: fc.boolean(),
  })
  .map(({ isSame, ...record }) => {
    const last = record.entries.at(-1);
    if (!isSame || record.file === null || last === undefined) return record;
    const same = { linkHash: last.linkHash, lastLinkId: last.id, hash: last.contentHash ?? null };
    return { ...record, file: { ...record.file, ...same } };
  });

t.test('a record of the chain comes back from its compact body, member for member', async () => {
  fc.assert(
    fc.property(chain, (record) => {
      const body = encodeChainRecord(record).slice();
      const again = decodeChainRecord(body);
      if (JSON.stringify(again) !== JSON.stringify(record)) return false;
      const leaves = decodeChainLeaves(body);
      const given = leaves.entries.map((entry) => ({ ...entry, linkHash: toHex(entry.linkHash) }));
      const { fileId, category, entries } = record;
      const wanted = entries.map(({ number, acceptedAt, linkHash }) => ({ number, acceptedAt, linkHash }));
      return (
        JSON.stringify({ ...leaves, entries: given }) ===
          JSON.stringify({ fileId, category, entries: wanted }) &&
        Buffer.from(encodeChainRecord(again)).equals(Buffer.from(body))
      );
    }),
  );
});

t.test('a chain body as JSON, of the software before, is read as it was', async (t) => {
  fc.assert(
    fc.property(chain, (record) => {
      const text = JSON.stringify(record);
      return JSON.stringify(decodeChainBody(utf8(text))) === text;
    }),
  );
  t.same(decodeChainBody(utf8('{"kind":"parking"}')), { kind: 'parking' });
  t.throws(() => decodeChainBody(utf8('{')), { name: 'SyntaxError' });
});

const policy: fc.Arbitrary<Policy> = fc
  .record({
    configVersion: count,
    modifiable: fc.boolean(),
    rolled: fc.boolean(),
    enabled: fc.boolean(),
    monitoringFrequency: fc.constantFrom('PROBE' as const, 'FOLLOW' as const),
    category: fc.constantFrom(...CATEGORIES),
    path: fc.string({ unit: 'binary' }),
    rolledFilenameRegexp: fc.string({ unit: 'grapheme' }),
    isWatched: fc.boolean(),
  })
  .map(({ isWatched, ...rest }) => (isWatched ? { ...rest, watchAttributes: true } : rest));

const header: fc.Arbitrary<ReportHeader> = fc.record({
  kind: fc.constant('report' as const),
  v: fc.constant(1 as const),
  rules: count,
  orgId: uuid,
  deviceId: uuid,
  acceptedAt: timeMs,
  nonce: hexOf(16),
  fileId: uuid,
  policy,
});

const version = fc.record({ length: count.filter((it) => it < Number.MAX_SAFE_INTEGER), hash });
/** Reports with the members in the order of a plain report. */
const plain: fc.Arbitrary<Report> = fc
  .record(
    {
      sequence: count,
      timestamp: timeMs.map((ms) => new Date(ms).toISOString()),
      change: fc.constantFrom(...CHANGES),
      versions: fc.array(version, { maxLength: 4 }),
      reread: fc.boolean(),
      configVersion: count,
      instanceId: fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/),
    },
    { requiredKeys: ['sequence', 'timestamp', 'change', 'versions'] },
  )
  .map((it): Report => ({ ...it }));

function bodyOf(header: ReportHeader, report: Uint8Array, isPacked: boolean): Uint8Array {
  const end = reportEnd(header.fileId, header.policy);
  const parts = {
    start: reportStart(header),
    acceptedAt: header.acceptedAt,
    nonce: fromHex(header.nonce),
    end,
  };
  const body = new Uint8Array(reportBytes({ ...parts, report, isPacked }));
  writeReport({ ...parts, report, isPacked }, body);
  return body;
}

t.test('a plain report comes back byte for byte, with its values, in a quarter of its bytes', async () => {
  fc.assert(
    fc.property(header, plain, fc.boolean(), (header, report, namesFile) => {
      const text = JSON.stringify(namesFile ? { fileId: header.fileId, ...report } : report);
      const around = utf8(`x${text}\n`);
      const read = readPlainReport(around, 1, around.length - 1);
      if (read === undefined || read.sequence !== report.sequence) return false;
      if (read.fileId !== (namesFile ? header.fileId : undefined)) return false;
      const body = bodyOf(header, read.packed, true);
      const again = decodeFileEvent(body);
      const { unpacked } = decodeCompactReport(body, () => undefined);
      return (
        Buffer.from(again.report).toString() === text &&
        JSON.stringify(again.header) === JSON.stringify(header) &&
        JSON.stringify(unpacked?.report) === JSON.stringify(report)
      );
    }),
  );
});

t.test('a report in any other form is kept as it came', async () => {
  fc.assert(
    fc.property(header, fc.uint8Array(), (header, bytes) => {
      const again = decodeFileEvent(bodyOf(header, bytes, false));
      return (
        Buffer.from(again.report).equals(bytes) && JSON.stringify(again.header) === JSON.stringify(header)
      );
    }),
  );
});

const HASH = 'ab'.repeat(32);
const LINE = `{"sequence":5,"timestamp":"2026-11-21T10:00:00.000Z","change":"APPENDED","versions":[{"length":0,"hash":"${HASH}"}],"reread":true,"configVersion":1,"instanceId":"a-B9"}`;

t.test('forms that are not plain', async (t) => {
  const read = (text: string) => readPlainReport(utf8(text), 0, utf8(text).length);
  t.type(read(LINE), 'object');
  const other = (before: string, after: string) => {
    t.ok(LINE.includes(before), before);
    t.equal(read(LINE.replace(before, after)), undefined, `${before} → ${after}`);
  };
  other('{"sequence"', ' {"sequence"');
  other('"a-B9"}', '"a-B9"} ');
  other('5,', '5 ,');
  other('5,', '05,');
  other('5,', '-5,');
  other('5,', '5.0,');
  other('5,', '5e0,');
  other('5,', '9007199254740992,');
  other('5,', '10000000000000000,');
  other('5,', ',');
  other('2026-11-21', '2026-02-30');
  other('2026-11-21', '1969-12-31');
  other('2026-11-21', '0085-11-21');
  other('10:00', '24:00');
  other('.000Z', '.000z');
  other('APPENDED', 'OTHER');
  other('APPENDED', 'APPENDEDX');
  other(HASH, HASH.toUpperCase());
  other(HASH, HASH.slice(2));
  other('"length":0', `"length":${Number.MAX_SAFE_INTEGER}`);
  other('}],', '},],');
  other('true', 'null');
  other('"reread":true,"configVersion":1', '"configVersion":1,"reread":true');
  other('"reread":true,', '"reread":true,"reread":true,');
  other('a-B9', '');
  other('a-B9', 'a_B9');
  other('a-B9', 'x'.repeat(65));
  other(',"instanceId"', ',"signature":"","instanceId"');
  for (let end = 0; end < LINE.length; end += 1) t.equal(readPlainReport(utf8(LINE), 0, end), undefined);
  const many = (n: number) =>
    LINE.replace(/\[.*\]/, `[${Array(n).fill(`{"length":1,"hash":"${HASH}"}`).join(',')}]`);
  t.type(read(many(1_000)), 'object');
  t.equal(read(many(1_001)), undefined);
});

/** Yields every body with missing bytes, with an added byte, or with one changed byte. */
function* damaged(body: Uint8Array): Generator<Uint8Array> {
  for (let end = 0; end < body.length; end += 1) yield body.slice(0, end);
  yield Uint8Array.from([...body, 0]);
  for (let at = 0; at < body.length; at += 1)
    for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
      const other = body.slice();
      other[at] = byte;
      yield other;
    }
}

/** Returns the message of the error; undefined when the bytes could be read. */
function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof RecordFormatError) return error.message;
    throw error;
  }
}

t.test(
  'a body that is cut short, too long, or has lengths that lie is refused in words of its own',
  async (t) => {
    const [record] = fc.sample(
      chain.filter(
        ({ entries, events, file, fileId }) =>
          entries.length > 1 && events.length > 0 && file !== null && fileId !== null,
      ),
      { numRuns: 1, seed: 7 },
    );
    const [head] = fc.sample(header, { numRuns: 1, seed: 7 });
    const bytes = utf8(LINE);
    const packed = readPlainReport(bytes, 0, bytes.length)!.packed.slice();
    const report = bodyOf(head!, packed, true);
    const chainBody = encodeChainRecord(record!).slice();
    const readReport = (body: Uint8Array) => decodeCompactReport(body, () => undefined);
    for (const [body, read] of [
      [chainBody, decodeChainRecord],
      [report, readReport],
    ] as const) {
      t.equal(
        refusalOf(() => read(body)),
        undefined,
      );
      for (let end = 1; end < body.length; end += 1)
        if (refusalOf(() => read(body.slice(0, end))) === undefined) t.fail(`${end} bytes could be read`);
      t.match(
        refusalOf(() => read(Uint8Array.from([...body, 0]))),
        /has 1 bytes too many/,
      );
      for (const other of damaged(body)) refusalOf(() => read(other));
    }
    for (const other of damaged(chainBody)) refusalOf(() => decodeChainLeaves(other));
  },
);

t.test('a body of another version, or of none', async (t) => {
  for (const read of [decodeChainBody, decodeFileEvent]) {
    t.equal(
      refusalOf(() => read(new Uint8Array([2, 0, 0]))),
      'is of version 2, this program reads 1',
    );
    t.equal(
      refusalOf(() => read(new Uint8Array(0))),
      'is empty',
    );
  }
  t.equal(
    refusalOf(() => decodeFileEvent(new Uint8Array([1, 9]))),
    'is of no known kind',
  );
});

t.test('the rules are told before what may depend on them', async (t) => {
  const start = reportStart({
    rules: 99,
    orgId: uuidV7(0, new Uint8Array(10)),
    deviceId: uuidV7(0, new Uint8Array(10)),
  });
  t.throws(
    () =>
      decodeCompactReport(start.slice(0, 3), (rules) => {
        throw new Error(`rules ${rules}`);
      }),
    { message: 'rules 99' },
  );
});

t.test('what a value of another form would lose is never encoded', async (t) => {
  const [record] = fc.sample(
    chain.filter(({ entries }) => entries.length > 0),
    { numRuns: 1, seed: 3 },
  );
  const entries = (fields: Partial<Entry>) => [{ ...record!.entries[0]!, ...fields }];
  t.throws(() => encodeChainRecord({ ...record!, rev: 0.5 }), RangeError);
  t.throws(() => encodeChainRecord({ ...record!, orgId: 'x' }), RangeError);
  t.throws(
    () => encodeChainRecord({ ...record!, entries: entries({ linkHash: HASH.toUpperCase() }) }),
    RangeError,
  );
  t.throws(() => encodeChainRecord({ ...record!, entries: entries({ nonce: 'ab' }) }), RangeError);
});

t.test('texts from bytes are the same in a browser', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 0x7f }), fc.nat(5), (bytes, from) => {
      const to = Math.max(from, bytes.length);
      const padded = new Uint8Array(to);
      padded.set(bytes);
      return (
        portable.asciiText(padded, from, to) === node.asciiText(padded, from, to) &&
        portable.hexText(padded, from, to) === node.hexText(padded, from, to)
      );
    }),
  );
});

interface Vector {
  readonly record: ChainRecord;
  readonly body: string;
}
interface ReportVector {
  readonly header: ReportHeader;
  readonly report: string;
  readonly body: string;
}

t.test('bodies are those of the recorded vectors', async (t) => {
  const vectors = JSON.parse(
    readFileSync(new URL('../../vectors/records.json', import.meta.url), 'utf8'),
  ) as { readonly chain: readonly Vector[]; readonly reports: readonly ReportVector[] };
  for (const { record, body } of vectors.chain) {
    t.equal(Buffer.from(encodeChainRecord(record)).toString('hex'), body);
    t.equal(JSON.stringify(decodeChainRecord(fromHex(body))), JSON.stringify(record));
  }
  for (const { header, report, body } of vectors.reports) {
    const bytes = utf8(report);
    const packed = readPlainReport(bytes, 0, bytes.length)?.packed;
    t.equal(Buffer.from(bodyOf(header, packed ?? bytes, packed !== undefined)).toString('hex'), body);
    const again = decodeFileEvent(fromHex(body));
    t.same([again.header, Buffer.from(again.report).toString()], [header, report]);
  }
});
