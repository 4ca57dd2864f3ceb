import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decideByRules2 } from '../rules-2/index.ts';
import type { Source } from '../source.ts';
import { decideClaim } from './claim.ts';

/** Rule set 3: rules 2, and a claim counts only for what the person saw. Never changed once shipped, as rules 1. */
export function decideByRules3(source: Source, head: Head, timeMs: number): readonly DomainEvent[] {
  if (source.kind === 'claim') return decideClaim(source.header, head);
  return decideByRules2(source, head, timeMs);
}
