/**
 * Checks seals, transactions and Merkle paths with another library of the ledger: the recorded ones, and faulty ones.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromHex, type Proof } from '@sentinel-node/contracts';
import { otherProgram, type Command } from '@sentinel-node/test-kit/other-programs';
import t, { type Test } from 'tap';

interface Recorded {
  readonly headers: string;
  readonly checkpoint: { readonly height: number };
}
interface Seals extends Recorded {
  readonly proof: Proof;
  readonly lines: readonly string[];
}
interface Given {
  readonly lines: readonly string[];
  /** Hex. */
  readonly headers: string;
  readonly proof: Proof;
}

const recorded = JSON.parse(
  readFileSync(new URL('../../../../contracts/vectors/seals.json', import.meta.url), 'utf8'),
) as Seals;

/** Returns the hex with one bit of one byte changed; counted from the end when `at` is negative. */
function flipped(hex: string, at: number): string {
  const bytes = Buffer.from(fromHex(hex));
  const index = at < 0 ? bytes.length + at : at;
  bytes[index]! ^= 1;
  return bytes.toString('hex');
}

/** Returns the recorded seals with a changed member of one batch. */
const withLine = (batch: number, change: (line: { raw: string; spends: unknown[] }) => object): Given => ({
  ...recorded,
  lines: recorded.lines.map((line, at) =>
    at === batch + 1 ? JSON.stringify(change(JSON.parse(line) as { raw: string; spends: unknown[] })) : line,
  ),
});
const withBlock = (change: (block: NonNullable<Proof['block']>) => object): Given => {
  const { proof } = recorded;
  return { ...recorded, proof: { ...proof, block: { ...proof.block!, ...change(proof.block!) } } as Proof };
};

/** Positions of the signature and the anchor in the first transaction. */
const SIGNATURE_AT = 50;
const ANCHOR_AT = 200;

const REFUSED: readonly [name: string, given: Given, says: RegExp][] = [
  [
    'a signature',
    withLine(0, ({ raw, ...line }) => ({ ...line, raw: flipped(raw, SIGNATURE_AT) })),
    /unlock/,
  ],
  ['an anchor', withLine(0, ({ raw, ...line }) => ({ ...line, raw: flipped(raw, ANCHOR_AT) })), /0: anchor/],
  ['what is spent', withLine(2, (line) => ({ ...line, spends: [] })), /2: outputs that are spent/],
  [
    'the worth of what is spent',
    withLine(2, (line) => ({ ...line, spends: [{ ...(line.spends[0] as object), satoshis: 9_999 }] })),
    /batch 2: input 1 does not unlock/,
  ],
  [
    'an output',
    withLine(3, ({ raw, ...line }) => ({ ...line, raw: flipped(raw, -10) })),
    /3: input 0 does not/,
  ],
  [
    'a cut transaction',
    withLine(1, ({ raw, ...line }) => ({ ...line, raw: raw.slice(0, -2) })),
    /^batch 1: the transaction, serialised/,
  ],
  ['a gap', { ...recorded, lines: recorded.lines.filter((_, at) => at !== 2) }, /number/],
  ['a branch', withLine(3, (line) => ({ ...line, raw: lineOf(2).raw })), /batch 3: anchor/],
  ['a hash of the path', withBlock(({ bump }) => ({ bump: flipped(bump, -1) })), /^Mismatched roots/],
  ['a leaf of the path', withBlock(({ bump }) => ({ bump: flipped(bump, 12) })), /root|Mismatched/],
  ['the height of the path', withBlock(({ bump }) => ({ bump: flipped(bump, 1) })), /height|its header/],
  [
    'a path that is cut short',
    withBlock(({ bump }) => ({ bump: bump.slice(0, -2) })),
    /^hex strings must be 64/,
  ],
  ['the block', withBlock(({ hash }) => ({ hash: flipped(hash, 0) })), /: block/],
  [
    'the first transaction of the block',
    withBlock(({ coinbase }) => ({ coinbase: flipped(coinbase!, 50) })),
    /coinbase|txid/,
  ],
  ['the root in a header', { ...recorded, headers: flipped(recorded.headers, 3 * 80 - 20) }, /: block/],
];

function lineOf(batch: number): { raw: string } {
  return JSON.parse(recorded.lines[batch + 1]!) as { raw: string };
}

const reader = (t: Test, [program, ...args]: Command) => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-other-library-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return async ({ lines, headers, proof }: Given): Promise<{ stdout: string; stderr: string }> => {
    const files = ['seals', 'headers', 'proof'].map((name) => join(folder, name));
    const [sealsFile = '', headersFile = '', proofFile = ''] = files;
    writeFileSync(sealsFile, `${lines.join('\n')}\n`);
    writeFileSync(headersFile, fromHex(headers));
    writeFileSync(proofFile, JSON.stringify(proof));
    const first = String(recorded.checkpoint.height + 1);
    return promisify(execFile)(program, [...args, sealsFile, headersFile, first, proofFile]).catch(
      (error: { stderr: string }) => ({ stdout: '', stderr: error.stderr }),
    );
  };
};

// The test first installs the library.
t.setTimeout(300_000);
t.test("Python's bsv-sdk takes the recorded chain of seals and its proof", async (t) => {
  const command = await otherProgram(t, 'bsv-sdk');
  if (command === undefined) return;
  const read = reader(t, command);
  const { stdout, stderr } = await read(recorded);
  t.equal(stderr, '');
  t.strictSame(JSON.parse(stdout || '{}'), { anchors: 4, inputs: 5, blocks: 1, verified: 0 });
  for (const [name, given, says] of REFUSED) {
    const refusal = await read(given);
    t.equal(refusal.stdout, '', name);
    t.match(refusal.stderr, says, name);
    t.notMatch(refusal.stderr, 'Traceback', name);
  }
});
