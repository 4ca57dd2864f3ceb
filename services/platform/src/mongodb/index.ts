export { MONGO_STORE_LIMITS } from './limits.ts';
export type { MongoStoreLimits } from './limits.ts';
export type { MongoDocumentStore } from './mongo-document-store.ts';
export { DocumentTooLargeError, IndexChangedError } from './mongo-errors.ts';
export { openMongoDocumentStore } from './open.ts';
export type { MongoDocumentStoreOptions } from './open.ts';
export { openMongoScratchStore } from './scratch.ts';
export { shardKeyOf } from './shard-key.ts';
