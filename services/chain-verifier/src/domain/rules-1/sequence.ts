import { reportDigest } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head, Highest } from '../head.ts';
import type { JudgedReport } from '../source.ts';

const HOUR_MS = 3_600_000;

/** Relation of a report's sequence to the highest of its file. */
export type SequenceVerdict =
  | { readonly verdict: 'NEXT'; readonly event: DomainEvent }
  | { readonly verdict: 'DUPLICATE' }
  | { readonly verdict: 'FAULT'; readonly events: readonly DomainEvent[] };

/** Row 1. `timeMs` is the record's time, by which each event comes at most once an hour. */
export function judgeSequence(report: JudgedReport, head: Head, timeMs: number): SequenceVerdict {
  const { sequence, timestamp } = report;
  const { highest } = head;
  if (highest !== null && sequence < highest.sequence) {
    if (timestamp <= highest.timestamp) return { verdict: 'DUPLICATE' };
    return { verdict: 'FAULT', events: due(head.sequenceBackAt, timeMs) ? [back(report, highest)] : [] };
  }
  const digest = reportDigest(report);
  if (highest === null || sequence > highest.sequence)
    return { verdict: 'NEXT', event: { type: 'SEQUENCED', sequence, timestamp, digest } };
  if (digest === highest.digest) return { verdict: 'DUPLICATE' };
  return { verdict: 'FAULT', events: due(head.sequenceReusedAt, timeMs) ? [reused(report)] : [] };
}

function due(lastMs: number | null, nowMs: number): boolean {
  return lastMs === null || nowMs - lastMs >= HOUR_MS;
}

function back(report: JudgedReport, highest: Highest): DomainEvent {
  const message = `A newer report has sequence ${report.sequence}, the highest so far is ${highest.sequence}.`;
  return { type: 'SEQUENCE_FAULT', code: 'SEQUENCE_BACK', message };
}

function reused(report: JudgedReport): DomainEvent {
  const message = `Two different reports have sequence ${report.sequence}.`;
  return { type: 'SEQUENCE_FAULT', code: 'SEQUENCE_REUSED', message };
}
