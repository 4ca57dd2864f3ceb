export { COMMANDS, COMMON_MEMBERS, OPTION_VALUES, commandsTable, errorCodesTable } from './commands.ts';
export { MONGO_STORE_LIMITS } from './limits.ts';
export type { MongoStoreLimits } from './limits.ts';
export type { MongoDocumentStore } from './mongo-parts.ts';
export {
  CollectionNotEmptyError,
  IndexChangedError,
  NotShardedError,
  ShardKeyError,
  StoreSignInRefusedError,
} from './mongo-errors.ts';
export { openMongoDocumentStore } from './open.ts';
export type { MongoDocumentStoreOptions } from './open.ts';
export { openMongoScratchStore } from './scratch.ts';
export { shardKeyOf } from './shard-key.ts';
