/** Tests that thousands of archives take no work that grows faster than their number: it would hold up all other looks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { matchArchives } from '../src/domain/archive-match.ts';
import { ordered } from '../src/domain/archive-order.ts';
import { hashArchive } from '../src/io/archives.ts';
import { LARGE_BYTES, PieceReads } from '../src/io/piece-reads.ts';
import { ReadRate } from '../src/io/read-rate.ts';
import { hashOf } from './agent-process.ts';

/** Decompressors that may run at once: of local archives that are short, of local long ones, and the same of others. */
const DECOMPRESSORS = 16;
const ARCHIVES = 3_000;
const KNOWN = 1_000;
/** Most readings of a signature for each archive. */
const READINGS = 50;

t.test('thousands of archives are matched and put in order archive by archive', (t) => {
  let readings = 0;
  const present = Array.from({ length: ARCHIVES }, (_, n) => ({
    name: `a.${n}`,
    inode: `1:${n}`,
    content: { length: n, hash: hashOf(String(n)) },
    get signature() {
      readings += 1;
      return `1:${n}:${n}:0:0`;
    },
  }));
  const memories = present.map(({ name, signature, content }) => ({ name, signature, ...content }));
  const known = memories.slice(-KNOWN);
  readings = 0;
  const matched = matchArchives(known, present);
  t.equal(matched.strange.length, ARCHIVES - KNOWN, 'only the newest are known');
  t.same([...matched.now.keys()], known);
  t.same(ordered(known, matched, present, { learned: memories.slice(0, -KNOWN).toReversed() }), memories);
  t.ok(readings <= ARCHIVES * READINGS, `${readings} readings`);
  t.end();
});

/** Reads whose pieces come when the test lets them, and that take every archive above `longBytes` for a long one. */
class HeldReads extends PieceReads {
  #going: (() => void)[] = [];
  begun = 0;
  running = 0;
  most = 0;
  readonly #longBytes: number;

  constructor(longBytes = LARGE_BYTES) {
    super({ rate: new ReadRate(), isStopped: () => false });
    this.#longBytes = longBytes;
  }

  override isLong(bytes: number): boolean {
    return bytes > this.#longBytes;
  }

  override async *pieces(part: Parameters<PieceReads['pieces']>[0]): AsyncGenerator<Buffer, void> {
    this.begun += 1;
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await new Promise<void>((go) => this.#going.push(go));
    yield* super.pieces(part);
    this.running -= 1;
  }

  /** Lets everything that waits go on. */
  go(): void {
    for (const go of this.#going.splice(0)) go();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('few archives are decompressed at once, and long ones hold up no short one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-many-archives-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [short, long, plain] = ['short.gz', 'long.gz', 'plain'].map((name) => join(folder, name));
  writeFileSync(short!, gzipSync('short'));
  writeFileSync(long!, gzipSync(Array.from({ length: 500 }, (_, n) => hashOf(String(n))).join('')));
  writeFileSync(plain!, 'plain');
  const reads = new HeldReads(1_000);
  const hashed = (path: string) => hashArchive(path, 0, { reads, isLocal: true });
  const longs = Array.from({ length: 40 }, () => hashed(long!));
  while (reads.begun < DECOMPRESSORS) await turn();
  const shorts = Array.from({ length: 40 }, () => hashed(short!));
  while (reads.begun < 2 * DECOMPRESSORS) await turn();
  const asIs = Array.from({ length: 3 }, () => hashed(plain!));
  while (reads.begun < 2 * DECOMPRESSORS + asIs.length) await turn();
  const all = Promise.all([...longs, ...shorts, ...asIs]);
  let isOver = false;
  void all.then(() => (isOver = true));
  while (!isOver) {
    reads.go();
    await turn();
  }
  const results = await all;
  t.equal(results.length, 83);
  t.same(
    results.slice(-4).map(({ whole }) => whole.hash),
    [hashOf('short'), ...Array<string>(3).fill(hashOf('plain'))],
  );
  t.equal(reads.begun, 83);
  t.ok(reads.most <= 2 * DECOMPRESSORS + asIs.length, `${reads.most} at once`);
});
