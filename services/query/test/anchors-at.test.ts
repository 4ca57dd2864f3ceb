/** Compares the anchors that are found in rounds with a look at every range. */
import type { DocumentStore } from '@sentinel-node/platform';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { anchorsAt } from '../src/views/anchors.ts';
import { VIEWS, type ChainPosition } from '../src/views/index.ts';

interface Range {
  readonly id: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
}

/** Gap before a range and its length, so that ranges of a partition never overlap. */
const piece = fc.record({ gap: fc.nat(3), length: fc.integer({ min: 1, max: 5 }) });
const partitions = fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 5 });

function rangesOf(all: readonly (readonly { gap: number; length: number }[])[]): Range[] {
  return all.flatMap((pieces, partition) => {
    let end = 0;
    return pieces.map(({ gap, length }, at) => {
      const from = end + gap;
      end = from + length;
      return { id: `${at}:${partition}`, partition, from, to: end, batch: at };
    });
  });
}

/** A store of these ranges without batches, which counts how often calls had to wait for others. */
function storeOf(ranges: readonly Range[]) {
  const seen = { finds: 0, rounds: 0 };
  let round: Promise<void> | undefined;
  const find = async (name: string, query: { where: { partition: number; from: { lte: number } } }) => {
    if (name !== VIEWS.anchorRanges) throw new Error(`${name} was not expected`);
    const { partition, from } = query.where;
    seen.finds += 1;
    if (round === undefined) seen.rounds += 1;
    await (round ??= new Promise((resolve) => setImmediate(() => ((round = undefined), resolve()))));
    const below = ranges.filter((one) => one.partition === partition && one.from <= from.lte);
    return below.sort((a, b) => b.from - a.from).slice(0, 1);
  };
  const store = { find, getMany: async () => [] };
  return { store: store as unknown as DocumentStore, seen };
}

t.test('each position has the batch of the range that covers it, whatever the order', async (t) => {
  const position = fc.record({ partition: fc.nat(4), offset: fc.nat(40) });
  await fc.assert(
    fc.asyncProperty(partitions, fc.array(position, { maxLength: 30 }), async (pieces, asked) => {
      const ranges = rangesOf(pieces);
      const { store } = storeOf(ranges);
      const expected = asked.map(
        ({ partition, offset }) =>
          ranges.find((one) => one.partition === partition && one.from <= offset && offset < one.to)?.batch ??
          null,
      );
      const found = await anchorsAt(store, asked as ChainPosition[]);
      return JSON.stringify(found.map(({ batch }) => batch)) === JSON.stringify(expected);
    }),
  );
  t.pass();
});

t.test('fifty positions of fifty partitions take one round, fifty of one range one read', async (t) => {
  const partitions = Array.from({ length: 50 }, (_, partition) => partition);
  const spread = storeOf(
    partitions.map((partition) => ({ id: `0:${partition}`, partition, from: 0, to: 9, batch: 0 })),
  );
  await anchorsAt(spread.store, partitions.map((partition) => ({ partition, offset: 3 })) as ChainPosition[]);
  t.same(spread.seen, { finds: 50, rounds: 1 });

  const close = storeOf([{ id: '7:0', partition: 0, from: 0, to: 100, batch: 7 }]);
  await anchorsAt(close.store, partitions.map((offset) => ({ partition: 0, offset })) as ChainPosition[]);
  t.same(close.seen, { finds: 1, rounds: 1 });
});

t.test('five hundred positions of as many ranges take few rounds, and no range is read twice', async (t) => {
  const offsets = Array.from({ length: 500 }, (_, at) => at);
  const far = storeOf(
    offsets.map((from) => ({ id: `${from}:0`, partition: 0, from, to: from + 1, batch: from })),
  );
  const found = await anchorsAt(
    far.store,
    offsets.map((offset) => ({ partition: 0, offset })) as ChainPosition[],
  );
  t.same(
    found.map(({ batch }) => batch),
    offsets,
  );
  t.equal(far.seen.finds, 500);
  t.ok(far.seen.rounds <= 20, `${far.seen.rounds} rounds`);
});
