export { ALONE, MEMBERS_ALONE } from './alone.ts';
export { decide, timeOf, UnknownRulesError } from './domain/decide.ts';
export { conclude, type Conclusion } from './domain/apply.ts';
export { evolve, type Applied } from './domain/evolve.ts';
export type { EntryEvent, ListedEvent, DomainEvent, StateEvent } from './domain/domain-event.ts';
export { INITIAL_HEAD, type Head, type Highest, type OpenAlert, type Parked } from './domain/head.ts';
export type { JudgedReport, Source } from './domain/source.ts';
export { decodeRecord, PoisonRecordError } from './decode.ts';
export { judgeRecord, UnjudgeableRecordError, type Judged, type JudgeOptions } from './judge-record.ts';
export { readDeadLetter, RecordedDecisions } from './recorded-decisions.ts';
export { HEAD_CACHE_LIMITS } from './head-cache.ts';
export {
  headDocument,
  HEADS_COLLECTION,
  HeadShapeError,
  HeadUnusableError,
  loadHeads,
  type HeadDocument,
} from './head-store.ts';
export { strayCause } from './stray.ts';
export { replayRecordOf } from './replay-record.ts';
export { createChainVerifier, type ChainVerifier, type ChainVerifierOptions } from './service.ts';
export { VERIFIER_COLLECTIONS } from './own-collections.ts';
