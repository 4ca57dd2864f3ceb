export { DataFolderUnusableError, openDataFolder } from './data-folder.ts';
export type { DataFolder } from './data-folder.ts';
export { openEmbeddedEventLog } from './log/embedded-event-log.ts';
export { EVENT_LOG_LIMITS } from './log/event-log-options.ts';
export type { EmbeddedEventLog, EmbeddedEventLogOptions } from './log/event-log-options.ts';
export { openEmbeddedDocumentStore } from './store/embedded-document-store.ts';
export { DOCUMENT_STORE_LIMITS } from './store/document-store-options.ts';
export type { EmbeddedDocumentStore, EmbeddedDocumentStoreOptions } from './store/document-store-options.ts';
export type { FatalHandler } from './worker-channel.ts';
