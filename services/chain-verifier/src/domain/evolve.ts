import { policyHash, type AlertType, type ChainAlert, type Policy } from '@sentinel-node/contracts';
import type { DomainEvent } from './domain-event.ts';
import type { Head, OpenAlert } from './head.ts';
import type { Written } from './entry-builder.ts';

/** One record applied to its key: the domain events decided and the entries written. */
export interface Applied {
  readonly events: readonly DomainEvent[];
  readonly written: Written;
  readonly timeMs: number;
  /** Of the record in its partition. */
  readonly offset: number;
  readonly policyHash: string | null;
}

type Draft = { -readonly [K in keyof Head]: Head[K] };

/** The head after a record that changed something. */
export function evolve(head: Head, applied: Applied): Head {
  const { events, offset, timeMs, written } = applied;
  const next = copyOf(head);
  next.rev++;
  next.offset = offset;
  next.time = timeMs;
  next.policyHash = applied.policyHash;
  for (const event of events) applyEvent(next, event, timeMs);
  for (const entry of written.entries) {
    next.number = entry.number;
    next.linkHash = entry.linkHash;
    if (entry.kind === 'BASELINE' || entry.kind === 'LINK' || entry.kind === 'BREAK')
      next.lastLinkId = entry.id;
  }
  for (const alert of written.alerts) next.open = withAlert(next.open, alert);
  return next;
}

/** Field by field, as an entry (see its `Draft`): writes to a spread copy take a microsecond. */
function copyOf(head: Head): Draft {
  const copy: Draft = {
    rev: head.rev,
    offset: head.offset,
    time: head.time,
    policy: head.policy,
    policyHash: head.policyHash,
    number: head.number,
    linkHash: head.linkHash,
    lastLinkId: head.lastLinkId,
    last: head.last,
    missing: head.missing,
    awaitedVersion: head.awaitedVersion,
    awaitsNext: head.awaitsNext,
    enabledAgain: head.enabledAgain,
    highest: head.highest,
    open: head.open,
    sequenceBackAt: head.sequenceBackAt,
    sequenceReusedAt: head.sequenceReusedAt,
    noticeId: head.noticeId,
    checkedAt: head.checkedAt,
    contactAt: head.contactAt,
    deleted: head.deleted,
  };
  if (head.attributes !== undefined) copy.attributes = head.attributes;
  if (head.awaitedMissing !== undefined) copy.awaitedMissing = head.awaitedMissing;
  if (head.parked !== undefined) copy.parked = head.parked;
  return copy;
}

/** Hash of the policy in force after the events; computed only when they change the policy. */
export function policyHashAfter(head: Head, events: readonly DomainEvent[]): string | null {
  const taken = events.findLast((event) => 'policy' in event);
  return taken === undefined || taken.policy === head.policy ? head.policyHash : policyHash(taken.policy);
}

function applyEvent(next: Draft, event: DomainEvent, timeMs: number): void {
  switch (event.type) {
    case 'BEGUN':
    case 'POLICY_RENEWED':
    case 'POLICY_CHANGED':
    case 'SWITCHED':
    case 'DELETED':
      return applyPolicy(next, event);
    case 'SEQUENCED':
      next.highest = { sequence: event.sequence, timestamp: event.timestamp, digest: event.digest };
      return;
    case 'CONTACTED':
      next.contactAt = event.atMs ?? timeMs;
      if (event.checked) next.checkedAt = next.contactAt;
      return;
    case 'SEQUENCE_FAULT':
      if (event.code === 'SEQUENCE_BACK') next.sequenceBackAt = timeMs;
      else next.sequenceReusedAt = timeMs;
      return;
    case 'NOTICED':
      next.noticeId = event.noticeId;
      return;
    default:
      applyVersion(next, event);
  }
}

type PolicyEvent = Extract<DomainEvent, { readonly policy: Policy }>;

function applyPolicy(next: Draft, event: PolicyEvent): void {
  next.policy = event.policy;
  if (event.type === 'DELETED') next.deleted = true;
  if (event.type === 'SWITCHED') next.enabledAgain = event.policy.enabled ? event.policy.configVersion : null;
  const rebaseline = event.type === 'POLICY_CHANGED' && event.rebaseline;
  if (rebaseline) {
    next.awaitedVersion = event.policy.configVersion;
    delete next.awaitedMissing;
  }
  // Nobody has looked at the file of this path yet.
  if (event.type === 'POLICY_CHANGED' && event.moved === true) next.checkedAt = null;
  // They belong to another file, or to a time after which they may have changed unwatched.
  if (rebaseline || event.policy.watchAttributes !== true) delete next.attributes;
}

function applyVersion(next: Draft, event: DomainEvent): void {
  switch (event.type) {
    case 'REPORTED':
      next.last = { length: event.version.length, hash: event.version.hash };
      next.missing = false;
      delete next.awaitedMissing;
      return;
    case 'ATTRIBUTES_TOLD':
      next.attributes = event.attributes;
      return;
    case 'MISSED':
      next.missing = true;
      if (event.awaited) next.awaitedMissing = true;
      return;
    case 'BASELINED':
      next.awaitsNext = false;
      if (event.awaitedToo) next.awaitedVersion = null;
      return;
    case 'AWAITED':
      next.awaitedVersion = event.configVersion;
      return;
    case 'NEXT_AWAITED':
      next.awaitsNext = true;
      return;
    case 'RESUMED':
      next.enabledAgain = null;
      return;
    default:
    // The other events change nothing about the versions of a head.
  }
}

function withAlert(open: Head['open'], alert: ChainAlert): Head['open'] {
  const next: Partial<Record<AlertType, OpenAlert>> = { ...open };
  delete next[alert.type];
  if (alert.status !== 'ACTIVE') return next;
  next[alert.type] = {
    alertId: alert.id,
    timestamp: alert.timestamp,
    lastTimestamp: alert.lastTimestamp,
    occurrences: alert.occurrences,
    breakNumber: alert.breakNumber,
    breakId: alert.hashId,
    ...(alert.attributeChanges === undefined ? {} : { attributeChanges: alert.attributeChanges }),
  };
  return next;
}
