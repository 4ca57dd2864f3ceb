/** Ledgers for processes that may crash while anchoring. */
import type { BlockHeaders, Ledger } from '@sentinel-node/platform';
import { createArcLedger, createDevLedger } from '@sentinel-node/platform/ledger';
import { ArcServer } from '@sentinel-node/test-kit/test-servers';
import { confirmedFunding } from '../src/funds/imported-outputs.ts';
import type { CrashPoint } from './crash-point.ts';
import { NEVER, type World } from './support.ts';

export interface TestLedger {
  /** Returns the ledger of one process. */
  open(point: CrashPoint): { readonly ledger: Ledger; mine(): Promise<unknown> };
  stop(): Promise<void>;
}

/** Returns the development ledger in the process itself, in the same store, so that its own writes are cut too. */
export function devLedgerOf({ store, clock }: World): TestLedger {
  return {
    open: (point) => {
      const ledger = createDevLedger({ ...point.cut({ store }), clock, timers: NEVER });
      return { ledger, mine: () => ledger.mine() };
    },
    stop: () => Promise.resolve(),
  };
}

/** Returns a foreign ledger behind an ARC service; a sent transaction may or may not have arrived. */
export async function arcLedgerOf({ store, clock, ledger: dev }: World): Promise<TestLedger> {
  const arc = await ArcServer.start({ ledger: dev });
  const headers: BlockHeaders = {
    firstHeight: 0,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => dev.height(),
    header: (height) => dev.header(height),
  };
  const network = 'test';
  return {
    open: (point) => {
      const own = point.cut({ store });
      const ledger = createArcLedger({
        ...{ network, headers, clock, endpoints: [{ url: arc.url, api: 'arc' }] },
        funding: (publicKeyHash) => confirmedFunding(own.store, { network, headers }, publicKeyHash),
        onAlarm: () => undefined,
      });
      return { ...point.cut({ ledger }), mine: () => dev.mine() };
    },
    stop: () => arc.stop(),
  };
}
