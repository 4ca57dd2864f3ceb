import {
  fromHex,
  leafData,
  leafHash,
  logRoot,
  mapKey,
  merkleRoot,
  sortLeaves,
} from '@sentinel-node/contracts';
import { decodeBatchHeader, inclusionPath, toHex, verifyInclusion } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { buildCut, EMPTY_LOG, type LogState } from '../src/domain/build-cut.ts';
import { cutDueAt, cappedIntervalMs } from '../src/domain/due.ts';
import { newEntries, Pending } from '../src/domain/pending.ts';
import { fileId, INTERVALS, linkHash, LOG_KEY } from './support.ts';

const { logId } = LOG_KEY;
const yieldTurn = () => Promise.resolve();
const entry = (file: number, number: number) => ({
  number,
  acceptedAt: 1_000 * number,
  linkHash: linkHash(fileId(file), number),
});
const due = (at: number) => at;

/**
 * Returns pending entries of the files in the given order, with this many entries each, on the partition of
 * `partitionOf`.
 */
function pendingOf(
  files: readonly (readonly [number, number])[],
  partitionOf: (file: number) => number,
): Pending {
  const pending = new Pending(new Map());
  for (const [file, count] of files) {
    const position = { partition: partitionOf(file), offset: pending.nextOffset(partitionOf(file)) };
    pending.add(
      position,
      fileId(file),
      Array.from({ length: count }, (_, n) => entry(file, n)),
      due,
    );
  }
  return pending;
}

function expectedLeaves(files: readonly (readonly [number, number])[]): Uint8Array[] {
  const leaves = files.flatMap(([file, count]) =>
    Array.from({ length: count }, (_, number) => ({
      mapKey: mapKey(logId, 'FILE', fileId(file)),
      number,
      linkHash: fromHex(linkHash(fileId(file), number)),
    })),
  );
  return sortLeaves(leaves).map((leaf) => leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)));
}

const files = fc.uniqueArray(fc.tuple(fc.nat(1_000), fc.integer({ min: 1, max: 5 })), {
  selector: ([file]) => file,
  minLength: 1,
  maxLength: 12,
});

t.test('the root does not depend on partitions or their order, and holds every leaf', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 7 }), fc.integer(), async (given, partitions, turn) => {
      const turned = given.toSorted(([a], [b]) => ((a * 31 + turn) % 17) - ((b * 31 + turn) % 17));
      const one = pendingOf(given, () => 0).collected();
      const many = pendingOf(turned, (file) => file % partitions).collected();
      const { cut } = await buildCut(logId, EMPTY_LOG, one, 5, yieldTurn);
      const other = await buildCut(logId, EMPTY_LOG, many, 5, yieldTurn);
      const leaves = expectedLeaves(given);
      const root = merkleRoot(leaves);
      if (cut.leafRoot !== toHex(root) || other.cut.leafRoot !== cut.leafRoot) return false;
      return leaves.every((leaf, i) =>
        verifyInclusion(leaf, i, leaves.length, inclusionPath(leaves, i), root),
      );
    }),
    { numRuns: 60 },
  );
});

t.test('the header chains, counts and enters the log that the root is of', async (t) => {
  let log: LogState = EMPTY_LOG;
  const headers: Uint8Array[] = [];
  for (let batch = 0; batch < 6; batch++) {
    const collected = pendingOf([[batch, 2]], () => 0).collected();
    const built = await buildCut(logId, log, collected, batch === 3 ? 0 : 100 + batch, yieldTurn);
    const header = decodeBatchHeader(fromHex(built.cut.header))!;
    t.equal(header.batch, batch);
    t.equal(toHex(header.previousHash), log.headerHash);
    t.equal(header.totalLeaves, 2 * (batch + 1));
    t.equal(header.mapSize, 0);
    t.ok(header.closedAt >= log.closedAt, 'time never runs backwards');
    headers.push(fromHex(built.cut.header));
    t.equal(built.cut.logRoot, toHex(logRoot(headers)), 'including this header');
    log = built.log;
  }
});

t.test('hashing gives way to other work', async (t) => {
  let turns = 0;
  const collected = pendingOf([[1, 4_500]], () => 0).collected();
  await buildCut(logId, EMPTY_LOG, collected, 5, () => Promise.resolve(void turns++));
  t.equal(turns, 2);
});

t.test('only entries above the last number are new; a hole is told', async (t) => {
  const entries = [entry(1, 3), entry(1, 4), entry(1, 5)];
  t.same(newEntries(entries, 2), entries);
  t.same(newEntries(entries, 4), [entry(1, 5)]);
  t.same(newEntries(entries, 9), []);
  t.match(newEntries(entries, 1), /entry 3 comes where 2 is expected/);
});

t.test('half of the interval is left for the transaction', async (t) => {
  t.equal(cutDueAt(1_000, 'MISSION_CRITICAL', INTERVALS), 31_000);
  t.equal(cutDueAt(1_000, 'STANDARD', INTERVALS), 1_801_000);
  t.equal(cappedIntervalMs(1_000, INTERVALS), 1_000);
  t.equal(cappedIntervalMs(1_000, { ...INTERVALS, MISSION_CRITICAL: 2 }), 250);
  const pending = new Pending(new Map());
  t.equal(pending.dueAt, undefined);
  pending.add({ partition: 0, offset: 0 }, fileId(1), [entry(1, 2), entry(1, 1)], due);
  t.equal(pending.dueAt, 1_000, 'the earliest counts');
});
