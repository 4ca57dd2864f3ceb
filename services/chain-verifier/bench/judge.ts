/** Microseconds of one thread a record, without I/O: `node dist/bench/judge.js [files] [batches]`. */
import { createHash } from 'node:crypto';
import { uuidV7, type Policy } from '@sentinel-node/contracts';
import { judgeBatch } from '../src/judge-batch.ts';
import { INITIAL_HEAD, type Head } from '../src/domain/head.ts';
import { report, version, type Step } from '../test/dsl/records.ts';
import { Teller } from '../test/dsl/story.ts';

const BATCH_RECORDS = 1_000;
const LOG_ID = new Uint8Array(32).fill(7);
const FOLLOW: Partial<Policy> = { monitoringFrequency: 'FOLLOW' };

interface Shape {
  readonly name: string;
  readonly step: (n: number) => Step;
}
const SHAPES: readonly Shape[] = [
  { name: 'unchanged', step: () => report('UNCHANGED', [content(0)]) },
  { name: 'one link', step: (n) => report('APPENDED', [content(n - 1), content(n)]) },
  { name: 'counted break', step: (n) => report('APPENDED', [content(-n), content(n)]) },
];

function content(n: number) {
  return version(`content ${n}`, 1_000 + Math.abs(n));
}

function measure({ name, step }: Shape, files: number, batches: number): void {
  const tellers = Array.from({ length: files }, (_, i) => {
    const seed = createHash('sha256').update(`file ${i}`).digest();
    return new Teller(FOLLOW, uuidV7(1_700_000_000_000 + i, seed));
  });
  const heads = new Map<string, Head>(tellers.map(({ fileId }) => [fileId, INITIAL_HEAD]));
  const perRecord: number[] = [];
  let bytes = 0;
  for (let batch = 0, offset = 0; batch < batches; batch++) {
    const records = Array.from({ length: BATCH_RECORDS }, () => {
      const teller = tellers[offset % files]!;
      const n = Math.floor(offset / files);
      const made = n === 0 ? report('FIRST', [content(0)])(teller)! : step(n)(teller)!;
      return { ...made, partition: 0, offset: offset++ };
    });
    const start = performance.now();
    const judged = judgeBatch({ topic: 'file-events', partition: 0, records }, heads, LOG_ID);
    perRecord.push((performance.now() - start) * (1_000 / BATCH_RECORDS));
    for (const [key, head] of judged.heads) heads.set(key, head);
    bytes = judged.records.reduce((sum, { body }) => sum + body.length, 0);
  }
  const warm = perRecord.slice(Math.floor(batches / 3)).sort((a, b) => a - b);
  const median = warm[Math.floor(warm.length / 2)]!;
  const words = [
    `${warm[0]!.toFixed(1)}/${median.toFixed(1)}/${warm.at(-1)!.toFixed(1)} µs a record (minimum/median/maximum)`,
    `${Math.round(1e6 / median)} records/s`,
  ];
  process.stdout.write(
    `${name}: ${words.join(', ')}, ${Math.round(bytes / BATCH_RECORDS)} B published each\n`,
  );
}

const [files = 1_000, batches = 60] = process.argv.slice(2).map(Number);
for (const shape of SHAPES) measure(shape, files, batches);
