/** Tests a log that an earlier version began in JSON and this version continues in compact bodies. */
import { readFileSync } from 'node:fs';
import { encodeChainRecord, TOPICS, utf8, type ChainRecord } from '@sentinel-node/contracts';
import type { EventLog, LogRecord, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { checkChains } from '../src/audit/check-chains.ts';
import { checkVerdicts } from '../src/audit/check-verdicts.ts';
import { FileOwners } from '../src/audit/file-owners.ts';
import { Findings } from '../src/audit/finding.ts';

interface GoldenLine {
  readonly key: string;
  readonly body: string;
  readonly published: ChainRecord | null;
}

const golden = JSON.parse(
  readFileSync(new URL('../../../chain-verifier/test/golden/rules-2.json', import.meta.url), 'utf8'),
) as GoldenLine[];
const verdicts = golden.flatMap(({ key, published }) =>
  published === null ? [] : [{ key, id: `${key}:${published.rev}`, published }],
);
/** Log id of the golden log. */
const LOG_ID = new Uint8Array(32).fill(7);

const stored = (records: readonly LogRecord[]): StoredRecord[] =>
  records.map((record, offset) => ({ ...record, partition: 0, offset }));

/**
 * Returns a log of the golden reports in JSON and their verdicts; verdicts from index `compactFrom` on are
 * compact.
 */
function logOf(
  compactFrom: number,
  change: (body: Uint8Array, index: number) => Uint8Array,
  repeats: readonly LogRecord[] = [],
): EventLog {
  const published = verdicts.map(({ id, key, published }, index) => {
    const body = index < compactFrom ? utf8(JSON.stringify(published)) : encodeChainRecord(published).slice();
    return { key, id, body: change(body, index) };
  });
  const reports = golden.map(({ key, body }, index) => ({ key, id: `${index}`, body: utf8(body) }));
  const topics = new Map([
    [TOPICS.fileEvents as string, stored(reports)],
    [TOPICS.chain as string, stored([...published, ...repeats])],
  ]);
  async function* read(topic: string, partition: number, from: number): AsyncIterable<RecordBatch> {
    const records = (topics.get(topic) ?? []).slice(from);
    if (records.length > 0) yield { topic, partition, records };
  }
  const bounds = async (topic: string) => [{ partition: 0, start: 0, end: topics.get(topic)?.length ?? 0 }];
  return { read, bounds } as unknown as EventLog;
}

async function findingsOf(
  compactFrom: number,
  change: (body: Uint8Array, index: number) => Uint8Array = (body) => body,
): Promise<string[]> {
  const findings = new Findings();
  await checkVerdicts(logOf(compactFrom, change), LOG_ID, findings);
  await checkChains(logOf(compactFrom, change), LOG_ID, findings, new FileOwners(findings));
  return findings.reported.map(({ check, what }) => `${check}: ${what}`);
}

t.test('the audit takes a log in either encoding, and one that changes it', async (t) => {
  for (const compactFrom of [0, Math.floor(verdicts.length / 2), verdicts.length])
    t.same(await findingsOf(compactFrom), [], `${compactFrom} of ${verdicts.length} are JSON`);
});

t.test('every changed byte of a compact verdict is found', async (t) => {
  const at = verdicts.findIndex(({ published }) => published.entries.some(({ kind }) => kind === 'LINK'));
  const { length } = encodeChainRecord(verdicts[at]!.published);
  for (let byte = 0; byte < length; byte += 1) {
    const found = await findingsOf(0, (body, index) => {
      if (index === at) body[byte]! ^= 1;
      return body;
    });
    if (found.length === 0) t.fail(`byte ${byte}`);
  }
});

t.test('a JSON verdict with other blanks, or a hash that is none, is found', async (t) => {
  const { length } = verdicts;
  const edited = (before: string, after: string) =>
    findingsOf(length, (body, index) =>
      index === 1 ? utf8(Buffer.from(body).toString().replace(before, after)) : body,
    );
  matchList(t, await edited('{', '{ '), [/^verdicts: .* another verdict was published/]);
  matchList(t, await edited('"linkHash":"', '"linkHash":"x'), [
    /^verdicts: /,
    /^chains: .* the link hash of entry 0 /,
    /^chains: .* the link hash of entry 1 /,
  ]);
});

t.test('a second delivery says what the first said, in either encoding', async (t) => {
  const findingsWith = async (repeats: readonly LogRecord[]): Promise<string[]> => {
    const findings = new Findings();
    const log = logOf(Math.floor(verdicts.length / 2), (body) => body, repeats);
    await checkVerdicts(log, LOG_ID, findings);
    await checkChains(log, LOG_ID, findings, new FileOwners(findings));
    return findings.reported.map(({ check, what }) => `${check}: ${what}`);
  };
  const repeated = (body: (published: ChainRecord) => Uint8Array): LogRecord[] =>
    verdicts.map(({ id, key, published }) => ({ key, id, body: body(published) }));
  const asJson = repeated((published) => utf8(JSON.stringify(published)));
  const asCompact = repeated((published) => encodeChainRecord(published).slice());
  t.same(await findingsWith([...asJson, ...asCompact, ...asJson]), []);

  const at = verdicts.findIndex(({ published }) => published.entries.some(({ kind }) => kind === 'LINK'));
  const { id, key, published } = verdicts[at]!;
  const text = JSON.stringify(published);
  const other = text.replace(/"hash":"(.)/, (_, digit: string) => `"hash":"${digit === '0' ? '1' : '0'}`);
  t.not(other, text);
  for (const body of [utf8(other), encodeChainRecord(JSON.parse(other) as ChainRecord).slice()])
    t.same(await findingsWith([...asJson.slice(0, at), { key, id, body }]), [
      `chains: ${key}: the record at 0/${verdicts.length + at} repeats revision ${published.rev} with other contents`,
    ]);
  t.same(await findingsWith([{ key, id: `${key}:77`, body: utf8(text) }]), [
    `chains: ${key}: the record at 0/${verdicts.length} has the id of another, ${key}:77`,
  ]);
});

t.test('a record of no key is found, and is not judged', async (t) => {
  const log = logOf(0, (body) => body);
  const stray = { key: '', id: '', body: utf8('foreign'), partition: 0, offset: golden.length };
  const read: EventLog['read'] = async function* (topic, partition, from) {
    yield* log.read(topic, partition, from);
    if (topic === TOPICS.fileEvents) yield { topic, partition, records: [stray] };
  };
  const findings = new Findings();
  const judged = await checkVerdicts({ ...log, read }, LOG_ID, findings);
  t.equal(judged, golden.length);
  t.same(
    findings.reported.map(({ what }) => what),
    [
      `the record of ${TOPICS.fileEvents} at 0/${golden.length}: no program of this system put it there (it has no key), and it is not judged`,
    ],
  );
});
