import { readdirSync, readFileSync } from 'node:fs';
import {
  CURRENT_RULES,
  ChainRecordSchema,
  ENTRY_KINDS,
  ALERT_TYPES,
  type ChainRecord,
} from '@sentinel-node/contracts';
import { compileChecker } from '@sentinel-node/platform';
import t from 'tap';
import { Desk } from './doubles/desk.ts';
import { withoutParking } from './doubles/detour.ts';
import { FILE, type Made } from './dsl/records.ts';
import { faultOf, nonceOf } from './dsl/recheck.ts';
import { Teller } from './dsl/story.ts';

interface GoldenLine {
  readonly key: string;
  /** The record of file-events, as text. */
  readonly body: string;
  readonly published: ChainRecord | null;
}

const goldenOf = (rules: number): GoldenLine[] =>
  JSON.parse(
    readFileSync(new URL(`../../test/golden/rules-${rules}.json`, import.meta.url), 'utf8'),
  ) as GoldenLine[];

/** Each is a history of its own; what follows is shown of the newest. */
const RULES = [1, 2, 3, 4];
const golden = goldenOf(CURRENT_RULES);

t.test('there is a golden log of every rule set', async (t) => {
  const files = readdirSync(new URL('../../test/golden', import.meta.url));
  t.same(
    files.sort(),
    RULES.map((rules) => `rules-${rules}.json`),
  );
  t.equal(RULES.at(-1), CURRENT_RULES);
  for (const rules of RULES)
    for (const { body } of goldenOf(rules))
      t.ok(body.includes(`"rules":${rules},`), `of rules ${rules} only`);
});

for (const rules of RULES)
  t.test(`rules ${rules} give for ever what they gave at first, byte by byte`, async (t) => {
    const teller = new Teller();
    for (const [i, line] of goldenOf(rules).entries()) {
      const made: Made = { key: line.key, id: String(i), body: new TextEncoder().encode(line.body) };
      t.equal(JSON.stringify(teller.append(made) ?? null), JSON.stringify(line.published), `record ${i}`);
    }
  });

t.test('poison in the middle, and the way back, give the same entries and hashes', async (t) => {
  const middle = Math.floor(golden.length / 2);
  const desk = new Desk();
  const put = (line: GoldenLine, i: number) =>
    desk.put({ key: line.key, id: String(i), body: new TextEncoder().encode(line.body) });
  golden.slice(0, middle).forEach(put);
  desk.put({ key: golden[middle]!.key, id: 'poison', body: new TextEncoder().encode('{') });
  golden.slice(middle).forEach(put);
  const deadLetterCount = desk.heads.get(golden[middle]!.key)!.parked!.letters;
  t.ok(deadLetterCount > 5, `${deadLetterCount} dead letters`);
  desk.replay(0);
  desk.replay(0, true);
  for (let index = 1; index < deadLetterCount; index++) desk.replay(index);
  t.equal(desk.heads.get(golden[middle]!.key)!.parked, undefined);
  const texts = (records: readonly object[]) => withoutParking(records.map((one) => JSON.stringify(one)));
  t.same(texts(desk.published), texts(golden.flatMap(({ published }) => (published ? [published] : []))));
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
