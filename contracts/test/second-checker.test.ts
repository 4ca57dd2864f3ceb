/** The checker, and a second one written from docs/formats.md alone, agree on whole and changed proofs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { checkProof } from '../src/proof/check.ts';
import type { Proof } from '../src/proof/proof.ts';
import { places, type Node } from './json-pointers.ts';
import { named, online, proofs, trust } from './proof-support.ts';
import { withoutPython } from './python.ts';

interface Document {
  readonly what: string;
  readonly bytes: Uint8Array;
}

const PATHS = ['../../test/second_checker.py', '../../vectors/proof.json'];
const whole = proofs.map(({ proof }) => proof);
const written = (what: string, value: unknown): Document => ({
  what,
  bytes: Buffer.from(JSON.stringify(value)),
});
const at = (proof: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], proof);

const JUNK = [
  ...[null, '', 0, 1, -1, 2 ** 53, true, [], {}, [null], 'ff', '00'.repeat(32), '\ud800', '—'],
  ...['x'.repeat(300), 'FF'.repeat(32)],
];

/** Yields each place of a proof with the values of other proofs, other values, nothing, additions and parts. */
function* changed(proof: Proof): Generator<Document> {
  for (const [index, { pointer, value }] of places(structuredClone(proof)).entries()) {
    const others = whole.map((other) => at(other, pointer)).filter((other) => other !== undefined);
    for (const [number, other] of [...others, ...JUNK, ...variants(value)].entries()) {
      const copy = structuredClone(proof);
      const { holder, key } = places(copy)[index]!;
      (holder as Record<string, unknown>)[key] = structuredClone(other);
      yield written(`${pointer} ${number}`, copy);
    }
    const copy = structuredClone(proof);
    const { holder, key } = places(copy)[index]!;
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
    yield written(`without ${pointer}`, copy);
    if (isRecord(value)) yield written(`more ${pointer}`, withMember(proof, index));
  }
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withMember(proof: Proof, index: number): Node {
  const copy = structuredClone(proof);
  const { value } = places(copy)[index]!;
  (value as Record<string, unknown>)['more'] = 1;
  return copy;
}

function variants(value: unknown): unknown[] {
  if (Array.isArray(value))
    return [
      [...(value as unknown[])].reverse(),
      [...(value as unknown[]), ...(value as unknown[])],
      value.slice(1),
    ];
  if (typeof value === 'number') return [value + 1, value - 1, value + 2 ** 32, String(value)];
  if (typeof value !== 'string' || value === '') return [];
  const middle = Math.floor(value.length / 2);
  const flipped = value[middle] === '0' ? '1' : '0';
  return [
    ...[value.slice(2), value.slice(0, -2), `${value}00`, `00${value}`, value.toUpperCase(), `${value} `],
    ...[`${value}\n`, value.slice(0, middle) + flipped + value.slice(middle + 1), value + value],
  ];
}

/** Yields the same or nearly the same values in other bytes. */
function* spelled(proof: Proof): Generator<Document> {
  const text = JSON.stringify(proof);
  const texts: readonly [string, string][] = [
    ['as it is', text],
    ['blanks', JSON.stringify(proof, null, 2)],
    ['a tab', `\t${text}\r\n`],
    ['another blank', `\u00a0${text}`],
    ['a fraction', text.replace(/:(\d+)([,}])/, ':$1.0$2')],
    ['an exponent', text.replace(/:(\d*)0([,}])/, ':$10e0$2')],
    ['less than nothing', text.replace(/:0([,}])/, ':-0$1')],
    ['zeros in front', text.replace(/:(\d+)([,}])/, ':0$1$2')],
    ['an escape', text.replace('"state"', '"st\\u0061te"')],
    ['an escape of a slash', text.replace('sentinel/', 'sentinel\\/')],
    ['a member twice', text.replace('"format"', '"format":"sentinel/proof/v1","format"')],
    ['a member twice, before', text.replace('{"format"', '{"state":"PENDING","format"')],
    ['a member of a prototype', text.replace('"entry":{', '"entry":{"__proto__":{},')],
    ['a byte order mark', `\ufeff${text}`],
    ['something after it', `${text}{}`],
    ['a zero after it', `${text}\0`],
    ['a comma too many', text.replace('}', ',}')],
    ['cut short', text.slice(0, -1)],
    ['a comment', `/**/${text}`],
    ['deep', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['large', text + ' '.repeat(524_288)],
    ['blanks inside of a number', text.replace(/:(\d)(\d+)([,}])/, ':$1 $2$3')],
  ];
  for (const [what, one] of texts) yield { what, bytes: Buffer.from(one) };
  yield { what: 'no UTF-8', bytes: Buffer.from(text.replace('sentinel', 'senti\xffnel'), 'latin1') };
}

/** Yields each byte of the Merkle path, whose encoding no hash covers, changed, left out and doubled. */
function* paths(proof: Proof): Generator<Document> {
  const bytes = Buffer.from(proof.block!.bump, 'hex');
  const of = (what: string, ...parts: Uint8Array[]) =>
    written(what, { ...proof, block: { ...proof.block!, bump: Buffer.concat(parts).toString('hex') } });
  for (let at = 0; at < bytes.length; at++) {
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
    for (const bit of [1, 2, 4, 128])
      yield of(`path ${at} ^ ${bit}`, before, Uint8Array.of(bytes[at]! ^ bit), after);
    yield of(`path without ${at}`, before, after);
    yield of(`path with ${at} twice`, bytes.subarray(0, at + 1), bytes.subarray(at));
    yield of(`path with ${at} as three bytes`, before, Uint8Array.of(0xfd, bytes[at]!, 0), after);
  }
}

/** Yields changed lines of a signed note, as other signers might write them. */
function* notes(proof: Proof): Generator<Document> {
  const note = proof.batch!.checkpoint;
  const [text = '', own = ''] = note.split('\n\n');
  const foreign = '— witness.example AAAAAAAA\n';
  const all: readonly string[] = [
    ...[
      note + foreign,
      `${text}\n\n${foreign}${own}`,
      note + own,
      `${text}\n\n${foreign}`,
      note.slice(0, -1),
    ],
    ...[`${note}\n`, `${note}— short AAAA\n`, `${note}— two blanks  AAAAAAAA\n`, `${note}no line\n`],
    ...[`${note}— stray AAAAAAB=\n`, `${note}— long AAAAAAAA=\n`, `${note}— url-safe AAAA-_AA\n`],
    ...[`${text}\nmore\n\n${own}`, `${text}\n\n\n${own}`, `\n${note}`, note.replaceAll('\n', '\r\n')],
    ...[note.replace('—', '-'), note.replace('— ', '—'), `${note}— nul\0 AAAAAAAA\n`, note.normalize('NFD')],
    // White space of Unicode, and characters that only some programs treat as white space.
    ...[...'\t\v\f\r\x1c\x1f\x85\xa0\u1680\u180e\u2000\u200b\u2028\u202f\u205f\u2060\u3000\ufeff'].flatMap(
      (blank) => [
        `${note}— a${blank}b AAAAAAAA\n`,
        `${note}—${blank}b AAAAAAAA\n`,
        `${note}— b AAAAAAAA${blank}\n`,
      ],
    ),
    // Characters of two UTF-16 units, around the limit of a note.
    ...[16_383, 16_384, 16_385].flatMap((most) => [
      `${note}— ${'\u{1f512}'.repeat((most - note.length - 12) / 2)}${'x'.repeat((most - note.length - 12) % 2)} AAAAAAAA\n`,
      `${note}— ${'x'.repeat(most - note.length - 12)} AAAAAAAA\n`,
    ]),
    ...[`${note}— a+b AAAAAAAA\n`, `${note}${foreign.repeat(500)}`, `${note}${foreign.repeat(700)}`],
  ];
  for (const [number, checkpoint] of all.entries())
    yield written(`note ${number}`, { ...proof, batch: { ...proof.batch!, checkpoint } });
}

/** Yields proofs with parts of other proofs. */
function* mixed(): Generator<Document> {
  const parts = ['log', 'subject', 'entry', 'batch', 'transaction', 'block'] as const;
  for (const [a, one] of whole.entries())
    for (const [b, other] of whole.entries())
      for (let chosen = 1; chosen < 2 ** parts.length - 1 && a < b; chosen++) {
        const copy: Record<string, unknown> = { ...one };
        for (const [bit, part] of parts.entries()) if ((chosen >> bit) % 2 === 1) copy[part] = other[part];
        const states = [copy['batch'], copy['transaction'], copy['block']].filter((part) => part !== null);
        copy['state'] = ['PENDING', 'CUT', 'SENT', 'MINED'][states.length];
        yield written(`${a} with ${b}: ${chosen}`, copy);
      }
}

t.setTimeout(300_000);
t.test('both say the same', { timeout: 300_000, skip: withoutPython }, async (t) => {
  const [first] = whole;
  const kinds = ['whole', 'the first entry of a file', 'without header and coinbase', 'pending'].map(named);
  const documents = [
    ...whole.map((proof) => written('as it was recorded', proof)),
    ...[spelled, paths, notes].flatMap((of) => [...of(first!)]),
    ...kinds.flatMap((proof) => [...changed(proof)]),
    ...mixed(),
  ];
  const [script = '', vectors = ''] = PATHS.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const input = documents.map(({ bytes }) => `${Buffer.from(bytes).toString('base64')}\n`).join('');
  const { stdout, stderr } = spawnSync('python3', ['-B', script, vectors], { input, maxBuffer: 2 ** 24 });
  t.equal(stderr.toString(), '');
  const second = stdout.toString().trimEnd().split('\n');
  t.equal(second.length, documents.length);
  let holding = 0;
  for (const [index, { bytes, what }] of documents.entries()) {
    const { codes, outcome } = await checkProof(bytes, trust, online);
    if (outcome !== 'FAILS') holding += 1;
    if ((outcome !== 'FAILS') !== (second[index] === '1'))
      t.fail(`${what}: ${outcome} ${codes.join()}, the second says ${second[index]}`);
  }
  t.ok(documents.length > 6_000 && holding > 100, `${holding} of ${documents.length} hold`);
});
