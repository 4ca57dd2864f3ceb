export * from './export.ts';
export * from './gate.ts';
