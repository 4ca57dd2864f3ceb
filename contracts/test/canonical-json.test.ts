import { createHash } from 'node:crypto';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { canonicalJson, reportDigest, reportSubstanceJson } from '../src/bytes/canonical-json.ts';

t.test('the example of RFC 8785', async (t) => {
  const value = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  const expected =
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
  t.equal(canonicalJson(value), expected);
});

t.test('keys sort by UTF-16 code units; undefined is left out; what is not JSON throws', async (t) => {
  t.equal(
    canonicalJson({ '\u{1f600}': 1, '\ufb33': 2, a: undefined, '1': 3 }),
    '{"1":3,"\u{1f600}":1,"\ufb33":2}',
  );
  t.throws(() => canonicalJson(undefined), TypeError);
  t.throws(() => canonicalJson({ a: NaN }));
});

const text = fc.string({ unit: 'binary' });
const length = fc.oneof(
  fc.maxSafeNat(),
  fc.constant(-0),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const reports = fc.record(
  {
    timestamp: text,
    change: text,
    versions: fc.array(fc.record({ length, hash: text })),
    archives: fc.array(fc.record({ name: text, length, hash: text })),
    error: fc.record({ code: text, message: text }),
  },
  { requiredKeys: ['timestamp', 'change'] },
);

t.test('the substance of a report is written as RFC 8785 writes it', async () => {
  fc.assert(fc.property(reports, (report) => reportSubstanceJson(report) === canonicalJson(report)));
});

t.test('a digest is over the six fields and nothing else', async (t) => {
  const report = {
    timestamp: '2026-11-21T10:00:00.000Z',
    change: 'FIRST',
    versions: [{ length: 1, hash: 'ab' }],
  };
  const json =
    '{"change":"FIRST","timestamp":"2026-11-21T10:00:00.000Z","versions":[{"hash":"ab","length":1}]}';
  const digest = createHash('sha256').update(json).digest('hex');
  t.equal(reportDigest(report), digest);
  const more = { ...report, sequence: 4, reread: true, configVersion: 3, error: undefined };
  t.equal(reportDigest(more), digest, 'the rest may differ between deliveries');
  t.not(reportDigest({ ...report, archives: [] }), digest, 'an empty list is not an absent one');
});
