import type { DomainEvent } from './domain-event.ts';
import type { Head } from './head.ts';
import { decideByRules1 } from './rules-1/index.ts';
import { decideByRules2 } from './rules-2/index.ts';
import { decideByRules3 } from './rules-3/index.ts';
import { decideByRules4 } from './rules-4/index.ts';
import type { Source } from './source.ts';

type RuleSet = (source: Source, head: Head, timeMs: number) => readonly DomainEvent[];

/** Every rule set ever shipped, so that a replay always gives the same verdicts. */
const RULE_SETS: ReadonlyMap<number, RuleSet> = new Map([
  [1, decideByRules1],
  [2, decideByRules2],
  [3, decideByRules3],
  [4, decideByRules4],
]);

/** The record was accepted under rules that this verifier does not know; a newer verifier must judge it. */
export class UnknownRulesError extends Error {
  readonly code = 'UNKNOWN_RULES';
  constructor(rules: number) {
    super(
      `records of rules ${rules} cannot be judged by this version; run the version that accepted them, or a later one`,
    );
    this.name = 'UnknownRulesError';
  }
}

/** Time of a record on its key in milliseconds; never before the time of an earlier record. */
export function timeOf(source: Source, head: Head): number {
  return Math.max(source.header.acceptedAt, head.time);
}

/** @throws UnknownRulesError */
export function checkRules(rules: number): void {
  if (!RULE_SETS.has(rules)) throw new UnknownRulesError(rules);
}

/**
 * Domain events that follow from a record in the state after exactly the preceding records of its key. Empty: the state
 * does not change. @throws UnknownRulesError
 */
export function decide(source: Source, head: Head): readonly DomainEvent[] {
  const rules = RULE_SETS.get(source.header.rules);
  if (rules === undefined) throw new UnknownRulesError(source.header.rules);
  return rules(source, head, timeOf(source, head));
}
