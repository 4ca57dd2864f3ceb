import type { ChainRecord, FileState } from '@sentinel-node/contracts';
import { decide, timeOf } from './decide.ts';
import { evolve, policyHashAfter } from './evolve.ts';
import type { DomainEvent } from './domain-event.ts';
import type { Head } from './head.ts';
import type { Source } from './source.ts';
import { write } from './entry-builder.ts';

/** Category of a key without a policy, which has no entries to anchor either. */
const DEFAULT_CATEGORY = 'STANDARD';

export interface Conclusion {
  readonly head: Head;
  readonly record: ChainRecord;
}

/**
 * Judges one record of a key. Returns the head after it and the record for the chain topic; undefined when nothing follows.
 * @param offset of the record in its partition
 * @throws UnknownRulesError
 */
export function conclude(
  source: Source,
  head: Head,
  offset: number,
  logId: Uint8Array,
): Conclusion | undefined {
  const events = decide(source, head);
  if (events.length === 0) return undefined;
  const timeMs = timeOf(source, head);
  const policyHash = policyHashAfter(head, events);
  const written = events.every(isSilent)
    ? { entries: [], alerts: [], events: [] }
    : write(events, { source, head, timeMs, policyHash: policyHash ?? '', logId });
  const next = evolve(head, { events, written, timeMs, offset, policyHash });
  const { deviceId, fileId, orgId, rules } = source.header;
  const record: ChainRecord = {
    v: 1,
    rules,
    orgId,
    deviceId,
    fileId,
    rev: next.rev,
    timestamp: timeMs,
    category: next.policy?.category ?? DEFAULT_CATEGORY,
    entries: written.entries,
    alerts: written.alerts,
    events: written.events,
    file: fileId === null ? null : fileState(next),
  };
  return { head: next, record };
}

/** The record writes nothing. */
function isSilent({ type }: DomainEvent): boolean {
  return type === 'SEQUENCED' || type === 'CONTACTED';
}

function fileState(head: Head): FileState {
  return {
    length: head.last?.length ?? null,
    hash: head.last?.hash ?? null,
    missing: head.missing,
    sequence: head.highest?.sequence ?? 0,
    configVersion: head.policy?.configVersion ?? 0,
    number: head.number,
    linkHash: head.linkHash,
    lastLinkId: head.lastLinkId,
    activeAlerts: Object.keys(head.open).length,
    checkedAt: head.checkedAt,
    contactAt: head.contactAt,
    ...(head.attributes === undefined ? {} : { attributesTold: true }),
  };
}
