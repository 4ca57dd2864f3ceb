import { readFileSync } from 'node:fs';
import { ChainRecordSchema, ENTRY_KINDS, ALERT_TYPES, type ChainRecord } from '@sentinel-node/contracts';
import { compileChecker } from '@sentinel-node/platform';
import t from 'tap';
import { FILE, type Made } from './dsl/records.ts';
import { faultOf, nonceOf } from './dsl/recheck.ts';
import { Teller } from './dsl/story.ts';

interface GoldenLine {
  readonly key: string;
  /** The record of file-events, as text. */
  readonly body: string;
  readonly published: ChainRecord | null;
}

const golden = JSON.parse(
  readFileSync(new URL('../../test/golden/rules-1.json', import.meta.url), 'utf8'),
) as GoldenLine[];

t.test('rules 1 give for ever what they gave at first, byte by byte', async (t) => {
  const teller = new Teller();
  for (const [i, line] of golden.entries()) {
    const made: Made = { key: line.key, id: String(i), body: new TextEncoder().encode(line.body) };
    t.equal(JSON.stringify(teller.append(made) ?? null), JSON.stringify(line.published), `record ${i}`);
  }
});

t.test(
  'the golden log has every kind of entry of a file, every alert type, and records without effect',
  async (t) => {
    const records = golden.flatMap(({ published }) => (published === null ? [] : [published]));
    const kinds = new Set(records.flatMap(({ entries }) => entries.map(({ kind }) => kind)));
    const ofDevices = new Set(['CHILD_ADDED', 'CHILD_CHANGED', 'CHILD_DELETED', 'KEY']);
    t.same(kinds, new Set(ENTRY_KINDS.filter((kind) => !ofDevices.has(kind))));
    const alerts = new Set(records.flatMap((record) => record.alerts.map(({ type }) => type)));
    t.same(alerts, new Set(ALERT_TYPES));
    t.ok(golden.some(({ published }) => published === null));
  },
);

t.test('the golden records fit the contract, and their hashes and numbers hold', async (t) => {
  const records = golden.flatMap(({ published }) => (published === null ? [] : [published]));
  const checker = compileChecker(ChainRecordSchema);
  for (const record of records) t.same(checker.errors(record), []);
  t.equal(faultOf(FILE, records), undefined);
  for (const { body, published } of golden)
    for (const [i, entry] of (published?.entries ?? []).entries())
      t.equal(entry.nonce, nonceOf(new TextEncoder().encode(body), i));
});
