import assert from 'node:assert/strict';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { BatchVerifier, type BatchVerifierOptions } from '../src/consume.ts';
import { loadHeads } from '../src/head-store.ts';
import { HeadCache } from '../src/head-cache.ts';
import { INITIAL_HEAD } from '../src/index.ts';
import { LOG_ID } from './dsl/records.ts';
import { faultOf } from './dsl/recheck.ts';
import { anyStep, history, repeatableStep } from './doubles/arbitraries.ts';
import { detourOf, withoutParking } from './doubles/detour.ts';
import { MemoryLog, MemoryStore, type Fault } from './doubles/memory-ports.ts';
import {
  batchOf,
  judgePlainly,
  logOf,
  parsed,
  PARTITIONS,
  withoutDuplicates,
  writeHistory,
} from './doubles/world.ts';

/** On a machine that does much else. */
const FILE_MS = 120_000;
t.setTimeout(FILE_MS);
const run = { numRuns: 100 };

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 6, arbitrary: fc.constant('none' as const) },
  { weight: 3, arbitrary: fc.constantFrom('before', 'within', 'after') },
);

/** Number of records after which the heads of a partition are saved. */
const saved = fc.integer({ min: 1, max: 20 });

/** Ports over one log and one store, and verifiers on them. */
function bench(input: MemoryLog, options: { nextFault?: () => Fault; savedRecords: number }) {
  const { nextFault = () => 'none', savedRecords } = options;
  const chain = new MemoryLog(PARTITIONS, nextFault, input.partitions);
  const store = new MemoryStore(nextFault);
  const verifier = (ports: Pick<BatchVerifierOptions, 'eventLog' | 'store'> = { eventLog: chain, store }) =>
    new BatchVerifier({
      ...ports,
      cache: new HeadCache({ heads: 3 }),
      saving: { records: savedRecords },
      logId: LOG_ID,
      persist: async (write) => void (await write()),
    });
  const heads = () => loadHeads(store, [...store.heads.keys()]);
  return { chain, store, verifier, heads, partitions: input.partitions };
}

function agrees(input: MemoryLog, chain: MemoryLog, heads: ReadonlyMap<string, unknown>): void {
  const expected = judgePlainly(input);
  assert.deepEqual(withoutDuplicates(chain.partitions.flat()), expected.published);
  assert.deepEqual(withoutDuplicates(chain.deadLetters), expected.deadLetters);
  assert.deepEqual(heads, expected.heads);
}

t.test('numbers have no gap, links hold, ids are used once', async () => {
  fc.assert(
    fc.property(history(anyStep), (told) => {
      const { published } = judgePlainly(logOf(writeHistory(told)));
      const ids = new Set<string>();
      for (const [key, texts] of published) {
        const records = parsed(texts);
        const fault = faultOf(key, records);
        if (fault !== undefined) throw new Error(fault);
        for (const { entries, events } of records)
          for (const { id } of [...entries, ...events]) {
            if (ids.has(id)) throw new Error(`id ${id} twice`);
            ids.add(id);
          }
      }
    }),
    run,
  );
});

t.test('records of one file give the same bytes however files are interleaved', async () => {
  fc.assert(
    fc.property(history(anyStep), fc.infiniteStream(fc.nat()), (told, choices) => {
      const records = writeHistory(told);
      const keys = [...new Set(records.map(({ key }) => key))];
      const queues = keys.map((key) => records.filter((record) => record.key === key));
      const shuffled = [];
      while (queues.length > 0) {
        const at = choices.next().value % queues.length;
        shuffled.push(queues[at]!.shift()!);
        if (queues[at]!.length === 0) queues.splice(at, 1);
      }
      const byKey = (log: MemoryLog) => judgePlainly(log).published;
      assert.deepEqual(byKey(logOf(shuffled)), byKey(logOf(records)));
    }),
    run,
  );
});

t.test('records appended twice give the same bytes as once', async () => {
  fc.assert(
    fc.property(history(repeatableStep), fc.infiniteStream(fc.nat()), (told, choices) => {
      const records = writeHistory(told);
      const repeated = records.flatMap((record, i) => {
        const again = records[choices.next().value % (i + 1)]!;
        return choices.next().value % 2 === 0 ? [record] : [record, again];
      });
      assert.deepEqual(judgePlainly(logOf(repeated)).published, judgePlainly(logOf(records)).published);
    }),
    run,
  );
});

t.test('poison, later records and their replay give what the log without them gives', async () => {
  fc.assert(
    fc.property(history(anyStep), fc.infiniteStream(fc.nat()), (told, choices) => {
      const { heads, published } = judgePlainly(detourOf(told, choices));
      const expected = judgePlainly(logOf(writeHistory(told)));
      const verdicts = new Map([...published].map(([key, texts]) => [key, withoutParking(texts)]));
      for (const [key, texts] of verdicts)
        assert.deepEqual(texts, withoutParking(expected.published.get(key) ?? []));
      for (const [key, head] of heads) {
        assert.equal(head.parked, undefined, 'nothing stays parked');
        const { rev: _rev, offset: _offset, ...state } = head;
        const { rev: __, offset: ___, ...plain } = expected.heads.get(key) ?? INITIAL_HEAD;
        assert.deepEqual(state, plain);
      }
    }),
    run,
  );
});

t.test('any split into batches, and a replay, give what live gave', async () => {
  await fc.assert(
    fc.asyncProperty(
      history(anyStep),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      saved,
      async (told, sizes, savedRecords) => {
        const input = detourOf(told, sizes);
        const { chain, heads, partitions, verifier } = bench(input, { savedRecords });
        const one = verifier();
        for (const [partition, records] of partitions.entries())
          for (let at = 0; at < records.length;) {
            const size = sizes.next().value;
            await one.handle(batchOf(partition, records.slice(at, at + size)));
            at += size;
          }
        await one.saveAll();
        agrees(input, chain, await heads());
      },
    ),
    run,
  );
});

t.test('a crash between any two steps loses, doubles and forks nothing', async () => {
  const turn = fc.record({
    size: fc.integer({ min: 1, max: 9 }),
    faults: fc.tuple(fault, fault),
    committed: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
    /** Partitions change hands and come back. */
    worker: fc.nat({ max: 1 }),
    newProcess: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(
      history(anyStep),
      fc.infiniteStream(fc.nat()),
      fc.array(turn, { maxLength: 40, size: 'max' }),
      saved,
      async (told, choices, turns, savedRecords) => {
        const input = detourOf(told, choices);
        let faults: Fault[] = [];
        const nextFault = () => faults.shift() ?? 'none';
        const { chain, heads, partitions, verifier } = bench(input, { nextFault, savedRecords });
        const next = partitions.map(() => 0);
        const workers = [verifier(), verifier()];
        const deliver = async (worker: BatchVerifier, partition: number, size: number) => {
          const records = partitions[partition]!.slice(next[partition], next[partition]! + size);
          if (records.length === 0) return true;
          return worker.handle(batchOf(partition, records)).then(
            () => true,
            () => false,
          );
        };
        for (const [i, turn] of turns.entries()) {
          const partition = i % PARTITIONS;
          faults = [...turn.faults];
          const done = await deliver(workers[turn.worker]!, partition, turn.size);
          if (turn.newProcess) workers[turn.worker] = verifier();
          if (done && turn.committed) next[partition]! += turn.size;
        }
        faults = [];
        const last = verifier();
        for (const [partition, records] of partitions.entries()) {
          // At least one record, so that the last process takes each partition with all heads that the others did not save.
          next[partition] = Math.max(0, Math.min(next[partition]!, records.length - 1));
          assert.ok(await deliver(last, partition, Number.POSITIVE_INFINITY));
        }
        await last.saveAll();
        agrees(input, chain, await heads());
      },
    ),
    run,
  );
});

t.test('zombies over the same log publish duplicates only', async () => {
  await fc.assert(
    fc.asyncProperty(
      history(anyStep, 30),
      fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 })),
      fc.infiniteStream(fc.nat()),
      fc.scheduler(),
      saved,
      async (told, sizes, choices, scheduler, savedRecords) => {
        const input = detourOf(told, choices);
        const { chain, heads, partitions, store, verifier } = bench(input, { savedRecords });
        const eventLog = {
          append: scheduler.scheduleFunction(chain.append.bind(chain)),
          bounds: chain.bounds.bind(chain),
          read: chain.read.bind(chain),
        };
        const slow = {
          find: scheduler.scheduleFunction(store.find.bind(store)),
          getMany: scheduler.scheduleFunction(store.getMany.bind(store)),
          writeBatches: scheduler.scheduleFunction(store.writeBatches.bind(store)),
        };
        const consume = async (size: number) => {
          const worker = verifier({ eventLog, store: slow });
          for (const [partition, records] of partitions.entries())
            for (let at = 0; at < records.length; at += size)
              await worker.handle(batchOf(partition, records.slice(at, at + size)));
          await worker.saveAll();
        };
        const both = Promise.all(sizes.map(consume));
        await scheduler.waitFor(both);
        agrees(input, chain, await heads());
      },
    ),
    { ...run, numRuns: 30 },
  );
});
