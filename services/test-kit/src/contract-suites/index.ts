export { blockHeadersContract, type HeadersUnderTest, type MakeHeaders } from './block-headers.ts';
export { documentStoreContract } from './document-store.ts';
export { gate, PENDING_BYTES, until } from './harness.ts';
export { eventLogContract } from './event-log.ts';
export type {
  LogUnderTest,
  LogRequirements as LogWishes,
  MakeLog,
  MakeStore,
  StoreUnderTest,
} from './harness.ts';
export { ledgerContract } from './ledger.ts';
export type { LedgerUnderTest, MakeLedger, SpendOptions } from './ledger.ts';
