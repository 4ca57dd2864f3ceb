import type { Attributes } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import {
  NOTHING,
  change,
  claim,
  first,
  missing,
  notice,
  report,
  restamp,
  told,
  unchanged,
  version,
  watch,
} from '../dsl/records.ts';
import type { Step } from '../dsl/records.ts';

const CONTENTS = [NOTHING, ...['A', 'B', 'C', 'D'].map((label, i) => version(label, 50 * (i + 1)))];
const content = fc.constantFrom(...CONTENTS);
const contents = fc.array(content, { minLength: 1, maxLength: 4 });
const archives = fc.array(
  content.map((version) => ({ name: 'app.log.1', ...version })),
  { maxLength: 2 },
);
const alertType = fc.constantFrom(
  'EMPTY',
  'UNEXPECTED_CHANGE',
  'HASH_BREACH',
  'ROLLED_FILE_CHANGED',
  'HASH_BREACH_IN_REQ' as const,
);
const attributes: fc.Arbitrary<Attributes> = fc.record(
  {
    kind: fc.constantFrom('FILE', 'LINK'),
    linkTarget: fc.constantFrom('/a', '/b'),
    mode: fc.constantFrom('0600', '0644'),
    owner: fc.nat(1),
    mtime: fc.constantFrom('2026-11-21T10:00:00.000Z', '2026-11-21T10:00:01.000Z'),
  },
  { requiredKeys: ['kind'] },
);
const policyFields = fc.record(
  {
    modifiable: fc.boolean(),
    rolled: fc.boolean(),
    enabled: fc.boolean(),
    monitoringFrequency: fc.constantFrom('PROBE', 'FOLLOW'),
    path: fc.constantFrom('/a', '/b'),
  },
  { requiredKeys: [] },
);

/** Records that a second delivery of the same bytes must not change anything for. */
export const repeatableStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: contents.map((versions) => report('APPENDED', versions)) },
  { weight: 3, arbitrary: contents.map((versions) => report('REPLACED', versions)) },
  { weight: 2, arbitrary: content.map(unchanged) },
  { weight: 1, arbitrary: content.map(first) },
  { weight: 2, arbitrary: fc.constant(missing) },
  { weight: 1, arbitrary: fc.constant(report('ERROR', [], { error: { code: 'EIO', message: 'x' } })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(contents, archives)
      .map(([versions, archives]) => report('ROLLED', versions, { archives })),
  },
  { weight: 1, arbitrary: content.map((version) => report('ARCHIVE_CHANGED', [version])) },
  { weight: 2, arbitrary: fc.tuple(content, attributes).map(([version, of]) => told(version, of)) },
  {
    weight: 1,
    arbitrary: contents.map((versions) => report('REPLACED', versions, { attributes: { kind: 'FILE' } })),
  },
  { weight: 1, arbitrary: fc.boolean().map(watch) },
  { weight: 2, arbitrary: policyFields.map((fields) => change(fields)) },
  { weight: 1, arbitrary: policyFields.map(restamp) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('RESOLVED', 'DEACTIVATED'), alertType)
      .map(([status, type]) => claim(status, type)),
  },
  {
    weight: 1,
    arbitrary: alertType.map((type) => claim('DEACTIVATED', type, { seen: 1 })),
  },
);

/** These, reports out of sequence, notices, and now and then the end of a file. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: repeatableStep },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 5 }).map(
      (behind): Step =>
        (story) =>
          report('UNCHANGED', [CONTENTS[0]!], { sequence: story.sequence - behind })(story),
    ),
  },
  { weight: 1, arbitrary: fc.constant(notice('MALFORMED_DATA', 'VALIDATION_FAILED')) },
  { weight: 1, arbitrary: fc.constant(notice('AGENT_ERROR', 'TWO_AGENTS', true)) },
  { weight: 1, arbitrary: fc.constant(change({}, { deleted: true })) },
);

export interface Told {
  readonly file: number;
  readonly step: Step;
}
export const FILES = 4;
export const history = (step: fc.Arbitrary<Step>, maxLength = 60): fc.Arbitrary<Told[]> =>
  fc.array(fc.record({ file: fc.nat({ max: FILES - 1 }), step }), { minLength: 1, maxLength, size: 'max' });
