import { CompactRange, consistencyPath, inclusionPath, leafHash, toHex } from '@sentinel-node/contracts';
import t from 'tap';
import { consistencyOf, inclusionOf, type LogAfter } from '../src/domain/log-nodes.ts';

const most = 40;
const headers = Array.from({ length: most }, (_, n) => new Uint8Array(182).fill(n));
const range = new CompactRange();
const after = headers.map((header): LogAfter => {
  range.append(leafHash(header));
  return { header, peaks: range.peaks };
});

t.test('inclusion paths from peaks are those of RFC 6962, for every leaf of every size', async (t) => {
  for (let size = 1; size <= most; size++)
    for (let index = 0; index < size; index++) {
      const expected = inclusionPath(headers.slice(0, size).map(leafHash), index).map(toHex);
      const path = await inclusionOf(index, size, (read) => Promise.resolve(after[read - 1]!));
      if (JSON.stringify(path.map(toHex)) !== JSON.stringify(expected)) t.fail(`${index} of ${size}`);
    }
  t.pass('all were compared');
});

t.test('consistency proofs from peaks are those of RFC 6962, for every pair of sizes', async (t) => {
  let reads = 0;
  const read = (size: number): Promise<LogAfter> => {
    reads += 1;
    return Promise.resolve(after[size - 1]!);
  };
  for (let to = 1; to <= most; to++)
    for (let from = 1; from <= to; from++) {
      const expected = consistencyPath(headers.slice(0, to).map(leafHash), from).map(toHex);
      reads = 0;
      const path = (await consistencyOf(from, to, read)).map(toHex);
      if (JSON.stringify(path) !== JSON.stringify(expected)) t.fail(`${from} to ${to}`);
      if (reads > 4 * Math.ceil(Math.log2(most))) t.fail(`${reads} reads for ${from} to ${to}`);
    }
  t.pass('all were compared');
});
