import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decideByRules1 } from '../rules-1/index.ts';
import type { Source } from '../source.ts';
import { judgeAttributes } from './attributes.ts';

/** Rule set 2: rules 1, and the attributes of unmodifiable files. Never changed once shipped, as rules 1. */
export function decideByRules2(source: Source, head: Head, timeMs: number): readonly DomainEvent[] {
  const events = decideByRules1(source, head, timeMs);
  return source.kind === 'report' ? judgeAttributes(source, head, events) : events;
}
