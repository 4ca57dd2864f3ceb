export { DEV_BLOCK_DEPTH, DEV_BLOCK_INTERVAL_MS, createDevLedger } from './dev-ledger.ts';
export type { DevLedger, DevLedgerOptions } from './dev-ledger.ts';
export { DEV_LEDGER_COLLECTIONS } from './collections.ts';
