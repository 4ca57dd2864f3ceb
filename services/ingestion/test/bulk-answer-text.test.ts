import { Buffer } from 'node:buffer';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { flatLevels, inclusionPathOf, merkleLevels, sha256, toHex } from '@sentinel-node/contracts';
import type { BulkAnswer } from '@sentinel-node/contracts';
import { bulkAnswerText } from '../src/domain/bulk-answer-text.ts';

const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => sha256(Uint8Array.of(n, n >> 8)));

/** The plain definition of the text: an object with the path of each line. */
function plainText(answer: Omit<BulkAnswer, 'receipt'>, leaves: Uint8Array[], lines: Line[], root: string) {
  const levels = merkleLevels(leaves);
  const receipt = {
    count: leaves.length,
    root,
    signature: 'ab'.repeat(64),
    lines: lines.map((line, index) => ({ ...line, index, path: inclusionPathOf(levels, index).map(toHex) })),
  };
  return JSON.stringify({ ...answer, receipt });
}

type Line = { line: number; acceptedAt: number };

function texts(answer: Omit<BulkAnswer, 'receipt'>, lines: Line[]): [string, string] {
  const leaves = leavesOf(lines.length);
  const levels = flatLevels(Buffer.concat(leaves));
  const root = toHex(levels.at(-1)!);
  const signed = { count: leaves.length, root, signature: 'ab'.repeat(64) };
  const text = bulkAnswerText(answer, { signed, levels }, lines);
  return [text.toString('utf8'), plainText(answer, leaves, lines, root)];
}

t.test('the text is that of the objects, for every number of lines', async (t) => {
  for (let count = 1; count <= 130; count++) {
    const lines = Array.from({ length: count }, (_, n) => ({
      line: 2 * n + 1,
      acceptedAt: 1_700_000_000_000,
    }));
    const [text, plain] = texts({ accepted: count, rejected: [] }, lines);
    t.ok(text === plain, `${count} lines`);
  }
});

t.test('numbers of any length and refused lines have room', async (t) => {
  const line = fc.record({ line: fc.maxSafeNat(), acceptedAt: fc.maxSafeNat() });
  const rejected = fc.record({ line: fc.nat(), code: fc.string(), detail: fc.string({ unit: 'grapheme' }) });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.array(rejected, { maxLength: 5 }),
      (lines, refused) => {
        const [text, plain] = texts({ accepted: lines.length, rejected: refused }, lines);
        return text === plain;
      },
    ),
  );
  const longest = { line: Number.MAX_SAFE_INTEGER, acceptedAt: Number.MAX_SAFE_INTEGER };
  const [text, plain] = texts(
    { accepted: 9, rejected: [] },
    Array.from({ length: 64 }, () => longest),
  );
  t.equal(text, plain);
});
