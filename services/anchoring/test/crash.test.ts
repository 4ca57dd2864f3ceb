/** Crashes at every step of anchoring, on the embedded store. */
import { randomInt } from 'node:crypto';
import t from 'tap';
import { arcLedgerOf, devLedgerOf } from './crash-ledgers.ts';
import { crashEverywhere, type CrashWorld } from './crash-suite.ts';
import { openWorld, type World } from './support.ts';
import { payIn } from './payments.ts';

t.setTimeout(600_000);
const seed = Number(process.env['SENTINEL_TEST_SEED'] ?? randomInt(1_000_000));
t.comment(`SENTINEL_TEST_SEED=${seed}`);

async function onDev(): Promise<CrashWorld> {
  const world = await openWorld();
  return { world, ledger: devLedgerOf(world), close: () => world.close() };
}

/** @param satoshis of each of 12 outputs that are paid in before each delivery */
async function onArc(satoshis: number): Promise<CrashWorld> {
  const world: World = await openWorld();
  const ledger = await arcLedgerOf(world);
  return {
    ...{ world, ledger },
    prepare: () =>
      payIn(
        world,
        Array.from({ length: 12 }, () => satoshis),
      ),
    close: async () => {
      await ledger.stop();
      await world.close();
    },
  };
}

for (const moment of ['before', 'after'] as const) {
  t.test(`the process ends ${moment} each change, on the development ledger`, (t) =>
    crashEverywhere(t, onDev, { moment, seed }),
  );
  t.test(`the process ends ${moment} each change, on a ledger behind ARC`, (t) =>
    crashEverywhere(t, () => onArc(60), { moment, seed }),
  );
}
