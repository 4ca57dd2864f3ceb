export { DEV_BLOCK_DEPTH, DEV_BLOCK_INTERVAL_MS, createDevLedger } from './dev-ledger.ts';
export type { DevLedger, DevLedgerOptions } from './dev-ledger.ts';
export { DEV_LEDGER_COLLECTIONS } from './collections.ts';
export { ARC_ALARMS, createArcLedger } from './arc/arc-ledger.ts';
export type { ArcAlarm, ArcLedgerOptions } from './arc/arc-ledger.ts';
export type { ArcEndpoint } from './arc/endpoint.ts';
export { proveBlock } from './arc/block-proof.ts';
export type { BlockProof } from './arc/block-proof.ts';
export { ARC_LIMITS } from './arc/limits.ts';
