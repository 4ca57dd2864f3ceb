import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decideByRules2 } from '../rules-2/index.ts';
import type { Source } from '../source.ts';
import { decideClaim } from './claim.ts';
import { decidePolicy } from './policy-record.ts';
import { decideReport } from './report.ts';

/**
 * Rule set 3: rules 2, but a claim counts only for what the person saw, and nothing of an old path is taken for the new one.
 * Never changed once shipped, as rules 1.
 */
export function decideByRules3(source: Source, head: Head, timeMs: number): readonly DomainEvent[] {
  switch (source.kind) {
    case 'report':
      return decideReport(source, head, timeMs);
    case 'claim':
      return decideClaim(source.header, head);
    case 'policy':
      return decidePolicy(source.header, head);
    case 'notice':
      return decideByRules2(source, head, timeMs);
  }
}
