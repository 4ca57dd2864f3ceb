import type { BlockHeaders } from '../../ports/block-headers.ts';
import type { Ledger } from '../../ports/ledger.ts';

/**
 * Returns headers from the ledger itself: those of the development ledger, which has no other source. Start and stop
 * belong to the ledger.
 */
export function ledgerBlockHeaders(ledger: Pick<Ledger, 'height' | 'header'>): BlockHeaders {
  return {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => ledger.height(),
    header: (height) => ledger.header(height),
  };
}
