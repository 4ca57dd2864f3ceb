/** Tests that a record of the log holds what an earlier version accepted, and nothing of another form. */
import t from 'tap';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import {
  AnchorRecordSchema,
  BackupRecordSchema,
  ChainRecordSchema,
  DeadLetterSchema,
  DeviceEntitySchema,
  FeedRecordSchema,
  FileEntitySchema,
  FileEventHeaderSchema,
  HealthRecordSchema,
  IdSchema,
  NoticeEventSchema,
  OperationRecordSchema,
  ParkingRecordSchema,
  RecordedLineSchema,
  RecordedReportSchema,
  RegistryRecordSchema,
  ReplayHeaderSchema,
} from '../src/index.ts';
import { isForm } from '../src/records/recorded.ts';

const ID = '01900000-0000-7000-8000-000000000001';
/** Accepted as the name of a file until names had to be seen. */
const UNSEEN = '\u200b';

const file = {
  id: ID,
  name: UNSEEN,
  description: 'x'.repeat(100_000),
  path: '',
  type: 'TEXT',
  monitoringFrequency: 'PROBE',
  interval: 1,
  rolled: true,
  rolledFilenameRegexp: '',
  modifiable: false,
  enabled: true,
  labels: Array.from({ length: 100 }, () => 'no label of today'),
  creationDate: 1,
};
const { id: _, creationDate: __, ...inTemplate } = file;
const device = {
  kind: 'DEVICE',
  id: ID,
  orgId: ID,
  name: UNSEEN,
  description: '',
  path: '',
  healthInterval: 1,
  enabled: true,
  category: 'STANDARD',
  disabledNote: null,
  disabledDate: null,
  disabledBy: null,
  creationDate: 1,
  configVersion: 1,
  keyVersion: 1,
  previousKey: null,
  deleted: false,
  files: [file],
  removedFiles: [],
};
const record = {
  v: 1,
  stream: `device:${ID}`,
  version: 1,
  orgId: ID,
  at: 1,
  by: null,
  entity: device,
  events: [],
};

t.test('a record with names, texts and numbers that are not accepted any more is read', (t) => {
  t.ok(Check(RegistryRecordSchema, record));
  const entity = {
    kind: 'ENROLMENT',
    ...{
      id: ID,
      orgId: ID,
      name: UNSEEN,
      namePattern: UNSEEN,
      tokenHash: '',
      uses: 1,
      expiresAt: 1,
      creationDate: 1,
    },
    ...{ createdBy: '', endedAt: null, refusalToldAt: null },
    template: {
      path: '',
      healthInterval: 0,
      category: 'STANDARD',
      files: Array.from({ length: 1_000 }, () => inTemplate),
    },
  };
  t.ok(Check(RegistryRecordSchema, { ...record, entity }));
  t.end();
});

t.test('a record of another form is not', (t) => {
  const with_ = (change: object) => ({ ...record, entity: { ...device, files: [{ ...file, ...change }] } });
  for (const change of [
    { name: 7 },
    { name: undefined },
    { type: 'LOG' },
    { interval: 1.5 },
    { labels: [7] },
    { id: 'a' },
    { more: 1 },
  ])
    t.notOk(Check(RegistryRecordSchema, with_(change)), JSON.stringify(change));
  const { interval: _interval, rolledFilenameRegexp: _pattern, labels: _labels, ...least } = file;
  t.ok(Check(FileEntitySchema, least), 'what is optional may be absent');
  t.ok(Check(DeviceEntitySchema, { ...device, labels: ['', ''] }));
  t.end();
});

/** Every schema by which records of the log, of a backup or of what waits to be published are read. */
const RECORDS: Readonly<Record<string, TSchema>> = {
  RegistryRecordSchema,
  ...{ AnchorRecordSchema, BackupRecordSchema, ChainRecordSchema, DeadLetterSchema, FeedRecordSchema },
  ...{ FileEventHeaderSchema, HealthRecordSchema, NoticeEventSchema, OperationRecordSchema },
  ...{ ParkingRecordSchema, RecordedLineSchema, RecordedReportSchema, ReplayHeaderSchema },
};
/** Of ids, which no version accepts otherwise; texts of notices, which are our own, and never empty. */
const KEPT = new Set<unknown>([
  ...Object.values<unknown>({ ...IdSchema }),
  Reflect.get(NoticeEventSchema.properties.type, 'pattern'),
]);

/** Has the limits of proofs, which are part of their format and bound the size of a record. */
const OF_PROOFS: Readonly<Record<string, string>> = { AnchorRecordSchema: '/properties/evidence' };

for (const [schemaName, schema] of Object.entries(RECORDS))
  t.test(`no limit of today's input stands in ${schemaName}`, (t) => {
    const found: string[] = [];
    const walk = (schema: object, path: string): void => {
      for (const [name, value] of Object.entries(schema)) {
        const place = `${path}/${name}`;
        if (/^(min|max|pattern|unique)/.test(name) && !KEPT.has(value) && !isForm(value))
          found.push(`${place}: ${value}`);
        if (name === 'properties')
          for (const [key, one] of Object.entries(value as object)) {
            if (`${place}/${key}` !== OF_PROOFS[schemaName]) walk(one as object, `${place}/${key}`);
          }
        else if (typeof value === 'object' && value !== null) walk(value as object, place);
      }
    };
    walk(schema, '');
    t.strictSame(found, []);
    t.end();
  });

t.test('a form stays a form', (t) => {
  const { versions, sequence, timestamp } = RecordedReportSchema.properties;
  t.notOk(Check(versions, [{ length: 1, hash: 'x' }]));
  t.ok(
    Check(
      versions,
      Array.from({ length: 9_999 }, () => ({ length: 1, hash: 'a'.repeat(64) })),
    ),
  );
  t.notOk(Check(sequence, 1e300));
  t.notOk(Check(sequence, -1));
  t.notOk(Check(timestamp, 'yesterday'));
  t.notOk(Check(HealthRecordSchema.properties.deviceId, 'x'));
  t.end();
});
