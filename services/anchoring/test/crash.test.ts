/** Crashes at every step of anchoring, on the embedded store. */
import { seedFrom } from '@sentinel-node/test-kit/seeds';
import t from 'tap';
import { arcLedgerOf, devLedgerOf } from './crash-ledgers.ts';
import { crashEverywhere, type CrashWorld } from './crash-suite.ts';
import { openWorld } from './support.ts';
import { payIn } from './payments.ts';

t.setTimeout(600_000);
const seed = seedFrom();
t.comment(`SENTINEL_TEST_SEED=${seed}`);

async function onDev(): Promise<CrashWorld> {
  const world = await openWorld();
  return { world, ledger: devLedgerOf(world), close: () => world.close() };
}

interface Payments {
  /** Satoshis of one output, before the first delivery. */
  readonly large?: number;
  /** Satoshis of each of 12 outputs, before each delivery. */
  readonly small: number;
}

async function onArc({ large, small }: Payments): Promise<CrashWorld> {
  const world = await openWorld();
  const ledger = await arcLedgerOf(world);
  const twelve = Array.from({ length: 12 }, () => small);
  return {
    ...{ world, ledger },
    prepare: (delivery) => payIn(world, delivery === 0 && large ? [large, ...twelve] : twelve),
    checkMore: async (t) => {
      const sent = await world.transactions();
      if (large)
        t.ok(sent.filter(({ consolidation }) => consolidation).length > 0, 'small outputs were joined');
      else t.ok(sent.length < 2 || sent.some(({ inputs }) => inputs.length > 1), 'anchors took outputs in');
    },
    close: async () => {
      await ledger.stop();
      await world.close();
    },
  };
}

for (const moment of ['before', 'after'] as const)
  t.test(`the process ends ${moment} each change, on the development ledger`, (t) =>
    crashEverywhere(t, onDev, { moment, seed }),
  );
// The state after one call is the state before the next, so one of the two moments is enough for each.
t.test('the process ends before each change, on a ledger behind ARC, with low funds', (t) =>
  crashEverywhere(t, () => onArc({ small: 250 }), { moment: 'before', seed }),
);
t.test('the process ends after each change, on a ledger behind ARC, with funds that are joined', (t) =>
  crashEverywhere(t, () => onArc({ large: 20_000, small: 60 }), { moment: 'after', seed }),
);
