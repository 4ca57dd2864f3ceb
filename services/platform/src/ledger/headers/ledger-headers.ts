import type { BlockHeaders } from '../../ports/block-headers.ts';
import type { Ledger } from '../../ports/ledger.ts';

/**
 * Returns the headers of the ledger itself, for the development ledger, which has no other source. The ledger starts
 * and stops on its own.
 */
export function ledgerBlockHeaders(ledger: Pick<Ledger, 'firstHeight' | 'height' | 'header'>): BlockHeaders {
  return {
    firstHeight: ledger.firstHeight,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => ledger.height(),
    header: (height) => ledger.header(height),
  };
}
