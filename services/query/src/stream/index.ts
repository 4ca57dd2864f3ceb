export * from './event-id.ts';
export * from './hub.ts';
export * from './limits.ts';
