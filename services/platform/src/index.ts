export * from './ports/ambient.ts';
export * from './ports/document-store.ts';
export * from './ports/errors.ts';
export * from './ports/event-log.ts';
export * from './ports/ledger.ts';
export * from './service.ts';
export * from './topology.ts';
