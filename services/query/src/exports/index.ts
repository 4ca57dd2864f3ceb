export * from './alerts.ts';
export * from './csv.ts';
export * from './events.ts';
export * from './export.ts';
export * from './gate.ts';
