export * from './claim.ts';
export * from './share.ts';
export * from './shares.ts';
export * from './signals.ts';
export * from './turn-off.ts';
