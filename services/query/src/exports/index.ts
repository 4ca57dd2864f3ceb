export * from './csv.ts';
export * from './export.ts';
export * from './gate.ts';
