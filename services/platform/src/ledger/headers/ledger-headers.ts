import type { BlockHeaders } from '../../ports/block-headers.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** Headers that a ledger says itself: of the development ledger, where nobody else can say them. Start and stop are the ledger's. */
export function ledgerBlockHeaders(ledger: Pick<Ledger, 'height' | 'header'>): BlockHeaders {
  return {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => ledger.height(),
    header: (height) => ledger.header(height),
  };
}
