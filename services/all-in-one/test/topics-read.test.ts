/** Tests that `sentinel topics read` prints records of both encodings, and bytes that are not a record. */
import { encodeChainRecord, TOPICS, type ChainRecord } from '@sentinel-node/contracts';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { lineOf } from '../src/topics/read.ts';
import { runChild } from './support/child.ts';
import { SENTINEL, startedNode } from './support/node.ts';
import { historyOn } from './support/scene.ts';
import { FILE_MS } from './support/until.ts';

t.setTimeout(FILE_MS);

const place = { partition: 3, offset: 5, key: 'k', id: 'k:1' };

t.test('a record in either encoding, and one that cannot be read', async (t) => {
  const record: ChainRecord = {
    v: 1,
    rules: 2,
    orgId: '01932b5e-7c00-7a11-8b22-000000000001',
    deviceId: '01932b5e-7c00-7a11-8b22-000000000002',
    fileId: null,
    rev: 1,
    timestamp: 7,
    category: 'STANDARD',
    entries: [],
    alerts: [],
    events: [],
    file: null,
  };
  for (const body of [encodeChainRecord(record), Buffer.from(JSON.stringify(record))])
    t.same(JSON.parse(lineOf(TOPICS.chain, { ...place, body })), { ...place, record });
  t.same(JSON.parse(lineOf(TOPICS.chain, { ...place, body: Buffer.from([9, 9]) })).bytes, 'CQk=');
  t.match(JSON.parse(lineOf(TOPICS.fileEvents, { ...place, body: Buffer.from([2]) })), {
    problem: 'is of version 2, this program reads 1',
    bytes: 'Ag==',
  });
  const large = { name: 'x'.repeat(1_048_576) };
  const body = gzipSync(JSON.stringify(large));
  t.same(JSON.parse(lineOf(TOPICS.registry, { ...place, body })).record, large, 'a compressed record');
});

t.test('the reports and verdicts of a stopped system', async (t) => {
  const started = await startedNode(t);
  const { node } = await historyOn(t, started);
  await node.stop();
  const read = async (...args: string[]) => {
    const { code, stdout, stderr } = await runChild(t, [
      SENTINEL,
      'topics',
      'read',
      ...args,
      '--data',
      node.dataDir,
    ]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { code, stderr, lines: lines.map((line) => JSON.parse(line) as Record<string, never>) };
  };
  const reports = await read(TOPICS.fileEvents);
  t.equal(reports.code, 0);
  t.match(reports.lines[0], { record: { kind: 'report' }, report: /^\{.*"sequence":/ });
  const verdicts = await read(TOPICS.chain, '--limit', '2');
  t.equal(verdicts.lines.length, 2);
  matchWhole(t, verdicts.lines[0], { record: { entries: [{ kind: 'GENESIS' }, { kind: 'BASELINE' }] } });
  for (const args of [
    ['nothing'],
    [],
    [TOPICS.feed],
    [TOPICS.chain, '--partition', '99'],
    [TOPICS.chain, 'more'],
  ])
    t.equal((await read(...args)).code, 2, args.join(' '));
});

t.test('an option of the other form of the command is wrong usage, not ignored', async (t) => {
  const factor = await runChild(t, [SENTINEL, 'topics', 'read', TOPICS.chain, '--replication-factor', '1']);
  t.match(factor, { code: 2, stderr: 'sentinel topics: read takes no --replication-factor\n' });
  for (const option of ['--partition', '--from', '--limit', '--data']) {
    const { code, stderr } = await runChild(t, [SENTINEL, 'topics', option, '1']);
    t.match({ code, stderr }, { code: 2, stderr: / are for read\n$/ }, option);
  }
  const { stdout } = await runChild(t, [SENTINEL, 'topics', '--help']);
  t.match(stdout, /Exit code 0: done; 1: .* 2: wrong usage\./);
});
