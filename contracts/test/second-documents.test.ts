/**
 * Two checkers, the second written from docs/formats.md alone, agree on bundles, seals and headers of changed structure.
 * SENTINEL_MUTANTS=N tries N times as many mutants, SENTINEL_SEED chooses other mutants.
 */
import t from 'tap';
import { readBundle, type Bundle } from '../src/proof/bundle.ts';
import type { HeaderCheckpoint } from '../src/proof/headers.ts';
import type { ProofTrust } from '../src/proof/proof.ts';
import { bundles } from './bundle-support.ts';
import { asCut, bundleIn, copies, fork, trunk } from './forked-log.ts';
import { easyHeaders, EASY_BITS, hashAt, PUBLIC } from './header-support.ts';
import { diceOf, restructured, SPELLINGS, type Dice } from './mutants.ts';
import { withoutPython } from './python.ts';
import { signedSeals } from './signed-seals.ts';
import { askBundle, askHeaders, askSeals, differences, type Asked } from './second-documents.ts';
import { flipBit, vector } from './support.ts';

const TIMES = Number(process.env['SENTINEL_MUTANTS'] ?? 1);
const SEED = Number(process.env['SENTINEL_SEED'] ?? 12);
const MUTANTS = { bundle: 1_000, seals: 500, headers: 400 } as const;

const sealed = vector<{ trust: ProofTrust; lines: readonly string[] }>('seals.json');
const options = { timeout: 3_600_000, skip: withoutPython };
const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
t.setTimeout(3_600_000);

/** Returns the facts of a bundle about each entry, without claims (owner, confirmations) and hints (header, coinbase). */
function factsOf({ batches, blocks, entries, log, previous, subject }: Bundle): Set<string> {
  const heights = new Map(blocks.map(({ hash, height }) => [hash, height]));
  const facts = entries.flatMap((entry, at) => {
    const fields = Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1));
    const own = [log, subject.type, subject.id, at === 0 ? previous : '', fields];
    const batch = batches.find(({ from, to }) => from <= entry.number && entry.number <= to);
    const block = batch?.block ?? undefined;
    return [
      own,
      ...(batch === undefined ? [] : [[entry.number, 'batch', batch.header]]),
      ...(batch?.transaction ? [[entry.number, 'transaction', batch.transaction]] : []),
      ...(block === undefined ? [] : [[entry.number, 'block', block.hash, heights.get(block.hash)]]),
    ];
  });
  return new Set(facts.map((fact) => JSON.stringify(fact)));
}

/** Returns true when a bundle has all entries of the original and no other facts. It may lack blocks and batches. */
function saysNothingElse(bytes: Uint8Array, of: Bundle): boolean {
  const read = readBundle(bytes);
  if (!('value' in read) || read.value.entries.length !== of.entries.length) return false;
  const said = factsOf(of);
  return [...factsOf(read.value)].every((fact) => said.has(fact));
}

function mutantOfBundle(dice: Dice): { of: Bundle; what: string; bytes: Uint8Array } {
  const { bundle: of } = dice.one(bundles);
  if (dice.below(5) === 0) {
    const [what, spell] = dice.one(SPELLINGS);
    return { of, what, bytes: Buffer.from(spell(JSON.stringify(of), dice)) };
  }
  let { what, value } = restructured(of, dice.one(bundles).bundle, dice);
  for (let more = dice.below(3) === 0 ? dice.below(3) : 0; more > 0; more--) {
    const next = restructured(value, of, dice);
    ({ value } = next);
    what = `${what}, ${next.what}`;
  }
  return { of, what, bytes: text(value) };
}

t.test(
  'bundles: both accept the same, and what is accepted says nothing else than the original',
  options,
  async (t) => {
    const dice = diceOf(SEED);
    const asked: Asked[] = [];
    for (const { bundle, name } of bundles) asked.push(await askBundle(name, text(bundle)));
    const whole = asked.length;
    let holding = 0;
    for (let n = 0; n < MUTANTS.bundle * TIMES; n++) {
      const { bytes, of, what } = mutantOfBundle(dice);
      const one = await askBundle(`mutant ${n} of seed ${SEED}: ${what}`, bytes);
      asked.push(one);
      if (one.said === '0') continue;
      holding += 1;
      if (!saysNothingElse(bytes, of)) t.fail(`${one.what} says something else`);
    }
    t.same(new Set(asked.slice(0, whole).map(({ said }) => said)), new Set(['1']));
    t.same(differences(asked), []);
    t.ok(holding > 20 && holding < asked.length / 3, `${holding} of ${asked.length} hold`);
  },
);

t.test('bundles: both refuse batches of two logs of one key', options, async (t) => {
  const asked: Asked[] = [];
  for (const [of, what, said] of [
    [[trunk, trunk], 'one log', '1'],
    [[fork, fork], 'the other', '1'],
    [[trunk, copies], 'other transactions', '1'],
    [[trunk, fork], 'two logs', '0'],
    [[fork, trunk], 'two logs, the other first', '0'],
  ] as const)
    for (const numbers of [
      [
        [0, 1],
        [2, 3],
      ],
      [[2, 3], [4]],
    ] as const) {
      const one = await askBundle(`${what}: ${numbers.join(' | ')}`, text(asCut(bundleIn(of, numbers))));
      t.equal(one.said, said, one.what);
      asked.push(one);
    }
  t.same(differences(asked), []);
});

/** Returns the lines of a seals file with one line, or the order, changed. */
function mutantOfSeals(dice: Dice): { what: string; bytes: Uint8Array } {
  const lines: (string | Buffer)[] = [...sealed.lines];
  const at = dice.below(lines.length);
  const line = sealed.lines[at]!;
  const joined = (end = '\n'): Buffer =>
    Buffer.concat(lines.flatMap((one) => [Buffer.from(one), Buffer.from(end)]));
  const [what, apply] = dice.one<readonly [string, () => void]>([
    ['without', () => void lines.splice(at, 1)],
    ['twice', () => void lines.splice(at, 0, line)],
    ['exchanged', () => void lines.splice(at, 1, ...lines.splice(dice.below(lines.length), 1, line))],
    ['an empty line', () => void lines.splice(at, 0, dice.one(['', ' ', '\r', '\0', '{}', '[]', '\ufeff']))],
    ['two in one', () => void lines.splice(at, 1, line + line)],
    ['broken in two', () => void lines.splice(at, 1, line.replace(':', ':\n'))],
    ['cut after', () => void lines.splice(at + 1)],
    ['large', () => void lines.splice(at, 1, line + ' '.repeat(524_288 - line.length + dice.below(2)))],
    ['at the end', () => void lines.push(line)],
    ...Array.from(
      { length: 4 },
      () => ['spelled', () => void lines.splice(at, 1, spelled(line, dice))] as const,
    ),
    ...Array.from(
      { length: 12 },
      () => ['changed', () => void lines.splice(at, 1, changed(line, dice))] as const,
    ),
    ...Array.from(
      { length: 8 },
      () => ['bytes', () => void lines.splice(at, 1, bytesChanged(line, dice))] as const,
    ),
  ]);
  apply();
  if (dice.below(10) === 0) return { what: `${what} ${at}, other line ends`, bytes: joined('\r\n') };
  const bytes = joined();
  return { what: `${what} ${at}`, bytes: dice.below(5) === 0 ? bytes.subarray(0, -1) : bytes };
}

const spelled = (line: string, dice: Dice): Buffer => Buffer.from(dice.one(SPELLINGS)[1](line, dice));

function changed(line: string, dice: Dice): string {
  const donor = JSON.parse(dice.one(sealed.lines)) as object[];
  return JSON.stringify(restructured(JSON.parse(line) as object[], donor, dice).value);
}

/** Changes a bit, a byte or a length of header or transaction, which is then no longer signed. */
function bytesChanged(line: string, dice: Dice): string {
  const value = JSON.parse(line) as Record<string, unknown>;
  const member = dice.one(['raw', 'raw', 'raw', 'header']);
  if (typeof value[member] !== 'string') return line;
  const bytes = Buffer.from(value[member], 'hex');
  const at = dice.below(bytes.length);
  const after = dice.one<() => Uint8Array>([
    () => flipBit(bytes, 8 * at + dice.below(8)),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.of(dice.below(256)), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.of(0xfd, bytes[at]!, 0), bytes.subarray(at + 1)]),
    () => bytes.fill(dice.one([0, 1, 0xff]), at, Math.min(at + 8, bytes.length)),
  ])();
  return JSON.stringify({ ...value, [member]: Buffer.from(after).toString('hex') });
}

t.test('seals: both give the same code, or the same batches', options, async (t) => {
  const dice = diceOf(SEED + 1);
  const { lines, trust } = sealed;
  const asked: Asked[] = [];
  for (let count = 0; count <= lines.length; count++)
    asked.push(await askSeals(`${count} lines`, Buffer.from(lines.slice(0, count).join('\n')), trust));
  const beginnings = new Set(asked.map(({ said }) => said));
  for (let n = 0; n < MUTANTS.seals * TIMES; n++) {
    const { bytes, what } = mutantOfSeals(dice);
    asked.push(await askSeals(`mutant ${n} of seed ${SEED}: ${what}`, bytes, trust));
  }
  const accepted = asked.filter(({ said }) => /^\d/.test(said));
  for (const { said, what } of accepted) if (!beginnings.has(said)) t.fail(`${what} says something else`);
  t.same(differences(asked), []);
  const codes = new Set(asked.map(({ said }) => said.split(' ')[0]));
  t.ok(
    accepted.length > 20 && codes.size > 10,
    `${accepted.length} of ${asked.length} hold; ${[...codes].join()}`,
  );
});

t.test('seals: one kind of output and one kind of signature unlock', options, async (t) => {
  const asked: Asked[] = [];
  for (const { isAccepted, lines, what } of signedSeals(sealed.lines)) {
    const one = await askSeals(what, Buffer.from(lines.join('\n')), sealed.trust);
    asked.push(one);
    t.match(one.said, isAccepted ? /^3 / : 'SEAL_UNSIGNED 2', what);
  }
  t.same(differences(asked), []);
});

interface HeadersFile {
  readonly network: string;
  readonly known: HeaderCheckpoint;
  readonly bytes: Uint8Array;
}

/** Returns public headers with their known block, with the block before, and easy headers. */
function headerFiles(): HeadersFile[] {
  const easy = easyHeaders({ count: 30 });
  const zero = { height: -1, hash: '00'.repeat(32), bits: EASY_BITS };
  const files: HeadersFile[] = ['regtest', 'dev', 'own', 'test', 'main'].map((network) => ({
    network,
    known: zero,
    bytes: easy,
  }));
  for (const network of ['main', 'test'] as const) {
    const { bytes, first } = PUBLIC[network];
    files.push({ network, known: { height: first, hash: hashAt(bytes, 0) }, bytes });
    const bits = new DataView(bytes.buffer, bytes.byteOffset).getUint32(72, true);
    files.push({ network, known: { height: first, hash: hashAt(bytes, 0), bits }, bytes: bytes.slice(80) });
  }
  return files;
}

function mutantOfHeaders({ bytes, known, network }: HeadersFile, dice: Dice): Asked {
  const count = bytes.length / 80;
  const at = 80 * dice.below(count);
  const bits = dice.one([
    0, 1, 0x1d00ffff, 0x1e00ffff, 0x207fffff, 0x217fffff, 0x2100ffff, 0x20ffffff, 0x04923456, 0xffffffff,
  ]);
  const networks = ['main', 'test', 'regtest', 'dev', 'own', 'toString'];
  const set = (offset: number, value: number): Uint8Array => {
    const copy = Uint8Array.from(bytes);
    new DataView(copy.buffer).setUint32(at + offset, value, true);
    return copy;
  };
  const of = (what: string, changed: Uint8Array, block = known, on = network): Asked =>
    askHeaders(`${what} at ${at / 80} of ${network}`, changed, block, on);
  const part = (from: number, to?: number): Uint8Array => bytes.slice(from, to);
  const other = 80 * dice.below(count);
  return dice.one<() => Asked>([
    () => of('a bit', flipBit(bytes, 8 * at + dice.below(640))),
    () => of('bits', set(72, bits)),
    () => of('time', set(68, dice.below(2 ** 32))),
    () => of('cut', part(0, at + dice.below(80))),
    () => of('cut whole', part(0, at)),
    () => of('begins', part(at), { ...known, height: known.height + at / 80, hash: hashAt(bytes, at / 80) }),
    () => of('begins after', part(at + 80), { height: 600_000, hash: hashAt(bytes, at / 80), bits }),
    () => of('without', Buffer.concat([part(0, at), part(at + 80)])),
    () => of('twice', Buffer.concat([part(0, at + 80), part(at)])),
    () => of('moved', Buffer.concat([part(0, at), part(other, other + 80), part(at)])),
    () => of('more', Buffer.concat([bytes, part(at, at + 1 + dice.below(80))])),
    () => of('a byte more', Buffer.concat([part(0, at), Buffer.of(0), part(at)])),
    () => of('network', bytes, known, dice.one(networks)),
    () => of('known bits', bytes, { ...known, bits }),
    () => of('known hash', bytes, { ...known, hash: 'ab'.repeat(32), bits }),
    () =>
      of('known height', bytes, {
        ...known,
        height: dice.one([0, 556_766, 556_767, 799_999, 800_000, 2 ** 31]),
      }),
  ])();
}

t.test('headers: both give the same code and height, or the same work', options, async (t) => {
  const dice = diceOf(SEED + 2);
  const files = headerFiles();
  const asked = files.map((file) =>
    askHeaders(`whole ${file.network}`, file.bytes, file.known, file.network),
  );
  for (let n = 0; n < MUTANTS.headers * TIMES; n++) {
    const one = mutantOfHeaders(dice.one(files), dice);
    asked.push({ ...one, what: `mutant ${n} of seed ${SEED}: ${one.what}` });
  }
  t.same(differences(asked), []);
  const codes = new Set(asked.map(({ said }) => said.split(' ')[0]).filter((code) => !/^-?\d/.test(code!)));
  const accepted = asked.filter(({ said }) => /^-?\d/.test(said)).length;
  t.ok(accepted > 20 && codes.size > 7, `${accepted} of ${asked.length} hold; ${[...codes].join()}`);
});
