import { CompactRange, consistencyPath, leafHash, toHex } from '@sentinel-node/contracts';
import t from 'tap';
import { consistencyOf, type LogAfter } from '../src/domain/log-nodes.ts';

t.test('consistency proofs from peaks are those of RFC 6962, for every pair of sizes', async (t) => {
  const most = 40;
  const headers = Array.from({ length: most }, (_, n) => new Uint8Array(182).fill(n));
  const range = new CompactRange();
  const after = headers.map((header): LogAfter => {
    range.append(leafHash(header));
    return { header, peaks: range.peaks };
  });
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
