export { decide, timeOf, UnknownRulesError } from './domain/decide.ts';
export { conclude, type Conclusion } from './domain/apply.ts';
export { evolve, type Applied } from './domain/evolve.ts';
export type { EntryFact, EventFact, Fact, StateFact } from './domain/facts.ts';
export { INITIAL_HEAD, type Head, type Highest, type OpenAlert } from './domain/head.ts';
export type { JudgedReport, Source } from './domain/source.ts';
export { decodeRecord, PoisonRecordError } from './decode.ts';
