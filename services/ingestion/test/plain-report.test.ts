import { readPlainReport, type Change } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { checkLine, checkLineText, checkReport, checkReportText } from '../src/report-check.ts';
import { HASH, newId, report } from './entities.ts';

const FILE_ID = newId();
const lineOf = (fields: object = {}): string => JSON.stringify({ fileId: FILE_ID, ...report(), ...fields });

/** Texts near those of agents: each is a plain line with some pieces exchanged. */
const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', ' ', '\\u0061', '0', '9', '-', 'e', '.', 'Z', 'é', '\ud800'],
  ...['"reread":true', '"configVersion":2', '"instanceId":"a"', '"sequence":1', '"change":"MISSING"', 'null'],
  ...[HASH, HASH.toUpperCase(), '9007199254740991', '9007199254740992', '2026-02-30', '24:00', ''],
];
const near = fc
  .record({
    fields: fc.record(
      {
        sequence: fc.maxSafeNat(),
        timestamp: fc
          .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
          .map((it) => it.toISOString()),
        change: fc.constantFrom<Change>('FIRST', 'APPENDED', 'MISSING', 'ERROR', 'ARCHIVE_CHANGED'),
        versions: fc.array(fc.record({ length: fc.maxSafeNat(), hash: fc.constant(HASH) }), { maxLength: 3 }),
        reread: fc.boolean(),
        configVersion: fc.maxSafeNat(),
        instanceId: fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/),
      },
      { requiredKeys: ['sequence', 'timestamp', 'change', 'versions'] },
    ),
    namesFile: fc.boolean(),
    cuts: fc.array(fc.tuple(fc.nat(), fc.nat(12), fc.constantFrom(...PIECES)), { maxLength: 2 }),
  })
  .map(({ fields, namesFile, cuts }) => {
    let text = JSON.stringify(namesFile ? { fileId: FILE_ID, ...fields } : fields);
    for (const [from, length, piece] of cuts) {
      const at = from % (text.length + 1);
      text = text.slice(0, at) + piece + text.slice(at + length);
    }
    return text;
  });

t.test('what is plain fits by the general check too, with the same file and sequence', async (t) => {
  let plain = 0;
  let general = 0;
  fc.assert(
    fc.property(near, (text) => {
      const bytes = Buffer.from(text);
      const read = readPlainReport(bytes, 0, bytes.length);
      const namesFile = read?.fileId !== undefined;
      const checked = namesFile ? checkLineText(text) : checkReportText(text);
      if (read === undefined) {
        general += 1;
        return true;
      }
      plain += 1;
      if (!checked.fits) return false;
      const { sequence } = checked.value;
      const fileId = 'fileId' in checked.value ? checked.value.fileId : undefined;
      return sequence === read.sequence && fileId === read.fileId && JSON.stringify(checked.value) === text;
    }),
    { numRuns: 3_000 },
  );
  t.ok(plain > 300 && general > 300, `${plain} plain, ${general} others`);
});

t.test('the check of a call and of a line say what the general checks say', async () => {
  fc.assert(
    fc.property(near, (text) => {
      const bytes = Buffer.from(text);
      const decoded = bytes.toString();
      const range = { line: 1, start: 0, end: bytes.length };
      const [line, asLine] = [checkLine(bytes, range, () => decoded), checkLineText(decoded)];
      const [call, asCall] = [checkReport(bytes, () => decoded), checkReportText(decoded)];
      return line.fits === asLine.fits && call.fits === asCall.fits;
    }),
    { numRuns: 1_000 },
  );
});

t.test('what our agent sends is plain, unless it tells of archives, errors or attributes', async (t) => {
  const isPlain = (text: string) =>
    readPlainReport(Buffer.from(text), 0, Buffer.byteLength(text)) !== undefined;
  t.ok(isPlain(lineOf()));
  t.ok(isPlain(JSON.stringify(report())));
  t.ok(isPlain(lineOf({ reread: false, configVersion: 3, instanceId: 'a-B9' })));
  t.notOk(isPlain(lineOf({ archives: [] })));
  t.notOk(isPlain(lineOf({ error: { code: 'EACCES', message: '' } })));
  t.notOk(isPlain(lineOf({ attributes: {} })));
});

t.test('after a report of the same day, a time that does not exist is refused as before', async (t) => {
  const isPlain = (timestamp: string): boolean => {
    const bytes = Buffer.from(lineOf({ timestamp }));
    return readPlainReport(bytes, 0, bytes.length) !== undefined;
  };
  for (const day of ['2026-02-28', '2026-12-31', '1970-01-01', '2024-02-29']) {
    t.ok(isPlain(`${day}T23:59:59.999Z`), day);
    for (const time of ['24:00:00.000', '23:60:00.000', '23:59:60.000', '99:99:99.999'])
      t.notOk(isPlain(`${day}T${time}Z`), `${day} ${time}`);
  }
  for (const day of ['2026-02-29', '2026-02-30', '2026-00-10', '2026-13-01', '1969-12-31', '2026-11-31'])
    for (let again = 0; again < 2; again += 1) t.notOk(isPlain(`${day}T00:00:00.000Z`), day);
});
