export { documentStoreContract } from './document-store.ts';
export { eventLogContract } from './event-log.ts';
export type { LogUnderTest, LogWishes, MakeLog, MakeStore, StoreUnderTest } from './harness.ts';
