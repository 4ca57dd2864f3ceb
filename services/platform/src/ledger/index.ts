export { DEV_BLOCK_DEPTH, DEV_BLOCK_INTERVAL_MS, createDevLedger } from './dev-ledger.ts';
export type { DevLedger, DevLedgerOptions } from './dev-ledger.ts';
export { blockInForm } from './block-form.ts';
export { blockId, DEV_LEDGER_COLLECTIONS } from './collections.ts';
export { BestChain, type ChainStart, type Offered, type OfferProblem } from './headers/best-chain.ts';
export {
  BLOCK_HEADERS_COLLECTION,
  HEADERS_PER_DOCUMENT,
  readStoredHeaders,
  StoredHeaders,
} from './headers/collection.ts';
export { createBlockHeaders } from './headers/create-block-headers.ts';
export type { BlockHeadersOptions, FollowedHeaders } from './headers/create-block-headers.ts';
export { ledgerBlockHeaders } from './headers/ledger-headers.ts';
export { HEADER_LIMITS } from './headers/limits.ts';
export { fetchHeaders, type Looked, type LookOptions, type Refusal } from './headers/look.ts';
export { openSource, type HeadersFrom } from './headers/open-source.ts';
export { HeadersUnreadableError, type HeaderSource } from './headers/source.ts';
export { ARC_ALARMS, createArcLedger } from './arc/arc-ledger.ts';
export type { ArcAlarm, ArcLedgerOptions } from './arc/arc-ledger.ts';
export type { ArcEndpoint } from './arc/endpoint.ts';
export { proveBlock } from './arc/block-proof.ts';
export type { BlockProof } from './arc/block-proof.ts';
export { ARC_LIMITS } from './arc/limits.ts';
