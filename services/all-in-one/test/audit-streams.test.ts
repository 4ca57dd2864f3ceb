/** Tests what the audit says of the records of the registry besides their contents: their names, and their order. */
import { TOPICS, type OrganizationEntity } from '@sentinel-node/contracts';
import {
  commitId,
  encodeRegistryRecord,
  registryRecordOf,
  type DocumentStore,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
  type StreamCommit,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import t from 'tap';
import { checkStreams } from '../src/audit/check-streams.ts';
import { Findings } from '../src/audit/finding.ts';

const ORG = '01900000-0000-7000-8000-000000000001';
const STREAM = `org:${ORG}`;
const entity: OrganizationEntity = {
  ...{ kind: 'ORGANIZATION', id: ORG, name: 'Acme', stripeId: null, creationDate: 0, users: [] },
  removedUsers: [],
};
const commits = [1, 2, 3].map((version): StreamCommit => ({
  ...{ id: commitId(STREAM, version), rev: 2, stream: STREAM, version, orgId: ORG, at: version, by: null },
  ...{ entity, events: [], policies: [] },
}));

/** Compares the commits with a log of these versions. @param named other names of the last record */
async function findingsOf(
  versions: readonly number[],
  named: Partial<Pick<StoredRecord, 'id' | 'key'>> = {},
): Promise<readonly string[]> {
  const records: StoredRecord[] = [];
  for (const [offset, version] of versions.entries()) {
    const commit = commits[version - 1]!;
    const body = await encodeRegistryRecord(registryRecordOf(commit));
    const last = offset === versions.length - 1 ? named : {};
    records.push({ key: ORG, id: commit.id, ...last, body, partition: 0, offset });
  }
  const topic = TOPICS.registry;
  async function* read(): AsyncIterable<RecordBatch> {
    yield { topic, partition: 0, records };
  }
  const bounds = () => Promise.resolve([{ partition: 0, start: 0, end: records.length }]);
  async function* scan(): AsyncIterable<readonly StreamCommit[]> {
    yield commits;
  }
  const getMany = (_: string, ids: readonly string[]) =>
    Promise.resolve(commits.filter(({ id }) => ids.includes(id)));
  const findings = new Findings();
  await checkStreams({
    eventLog: { read, bounds } as unknown as EventLog,
    store: { ensure: () => Promise.resolve(), scan, getMany } as unknown as DocumentStore,
    ...{ findings, clock: new ManualClock(), patience: { isLive: false }, observers: [] },
  });
  return findings.reported.map(({ check, what }) => `${check}: ${what}`);
}

t.test('a log of the commits in order, some of them delivered again, is whole', async (t) => {
  t.strictSame(await findingsOf([1, 2, 3]), []);
  t.strictSame(await findingsOf([1, 1, 2, 1, 3, 2]), []);
});

t.test('a commit that stands before an earlier one of its stream is told', async (t) => {
  t.strictSame(await findingsOf([1, 3, 2]), [`streams: ${STREAM}:000000000003: stands before version 2`]);
});

t.test('a record with the id or key of another is told', async (t) => {
  const told = `streams: ${ORG}: the record at 0/2 is of ${STREAM}:000000000003`;
  t.strictSame(await findingsOf([1, 2, 3], { id: `${STREAM}:000000000004` }), [told]);
  t.strictSame(await findingsOf([1, 2, 3], { key: 'another' }), [told.replace(` ${ORG}:`, ' another:')]);
});
