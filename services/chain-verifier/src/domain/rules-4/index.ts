import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decideByRules3 } from '../rules-3/index.ts';
import type { Source } from '../source.ts';
import { withMove, withoutCheckOfEarlierPath } from './moves.ts';

/**
 * Rule set 4: rules 3, but a look at an earlier path is no check of the file. Verdicts, entries, alerts and events are those of
 * rules 3. Never changed once shipped, as rules 1.
 */
export function decideByRules4(source: Source, head: Head, timeMs: number): readonly DomainEvent[] {
  const events = withMove(decideByRules3(source, head, timeMs), head);
  return source.kind === 'report' ? withoutCheckOfEarlierPath(source, head, events) : events;
}
