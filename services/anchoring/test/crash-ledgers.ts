/** The ledgers that a process which may crash anchors on. */
import type { BlockHeaders, Ledger } from '@sentinel-node/platform';
import { createArcLedger, createDevLedger } from '@sentinel-node/platform/ledger';
import { ArcServer } from '@sentinel-node/test-kit/test-servers';
import { confirmedFunding } from '../src/funds/imported-outputs.ts';
import type { CrashPoint } from './crash-point.ts';
import { NEVER, type World } from './support.ts';

export interface TestLedger {
  /** As one process has it. */
  open(point: CrashPoint): { readonly ledger: Ledger; mine(): Promise<unknown> };
  stop(): Promise<void>;
}

/** In the process itself, in the same store: its own writes are cut too. */
export function devLedgerOf({ store, clock }: World): TestLedger {
  return {
    open: (point) => {
      const ledger = createDevLedger({ ...point.cut({ store }), clock, timers: NEVER });
      return { ledger, mine: () => ledger.mine() };
    },
    stop: () => Promise.resolve(),
  };
}

/** Somebody else's, behind an ARC service: what is sent may have arrived or not. */
export async function arcLedgerOf({ store, clock, ledger: dev }: World): Promise<TestLedger> {
  const arc = await ArcServer.start({ ledger: dev });
  const headers: BlockHeaders = {
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
