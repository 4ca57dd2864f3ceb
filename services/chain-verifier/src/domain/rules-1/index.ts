import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import type { Source } from '../source.ts';
import { decideClaim } from './claim.ts';
import { decidePolicy } from './policy-record.ts';
import { decideReport } from './report.ts';

/** Rule set 1. Never changed once shipped: the golden log in the tests holds its verdicts. */
export function decideByRules1(source: Source, head: Head, timeMs: number): readonly DomainEvent[] {
  switch (source.kind) {
    case 'report':
      return decideReport(source, head, timeMs);
    case 'claim':
      return decideClaim(source.header, head);
    case 'policy':
      return decidePolicy(source.header, head);
    case 'notice': {
      const { code, message, noticeId, type } = source.header;
      return noticeId === head.noticeId
        ? []
        : [{ type: 'NOTICED', eventType: type, noticeId, error: { code, message } }];
    }
  }
}
