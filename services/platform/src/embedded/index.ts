export { DataFolderUnusableError, openDataFolder } from './data-folder.ts';
export type { DataFolder } from './data-folder.ts';
export { EVENT_LOG_LIMITS, openEmbeddedEventLog } from './log/embedded-event-log.ts';
export type { EmbeddedEventLog, EmbeddedEventLogOptions } from './log/embedded-event-log.ts';
export { DOCUMENT_STORE_LIMITS, openEmbeddedDocumentStore } from './store/embedded-document-store.ts';
export type { EmbeddedDocumentStore, EmbeddedDocumentStoreOptions } from './store/embedded-document-store.ts';
export type { FatalHandler } from './worker-channel.ts';
