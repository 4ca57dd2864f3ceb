import { policyHash, type AlertType, type ChainAlert, type Policy } from '@sentinel-node/contracts';
import type { Fact } from './facts.ts';
import type { Head, OpenAlert } from './head.ts';
import type { Written } from './write.ts';

/** One record applied to its key: what was said of it, what was written for it. */
export interface Applied {
  readonly facts: readonly Fact[];
  readonly written: Written;
  readonly timeMs: number;
  /** Of the record in its partition. */
  readonly offset: number;
  readonly policyHash: string | null;
}

type Draft = { -readonly [K in keyof Head]: Head[K] };

/** The head after a record that changed something. */
export function evolve(head: Head, applied: Applied): Head {
  const { facts, offset, timeMs, written } = applied;
  const next = copyOf(head);
  next.rev++;
  next.offset = offset;
  next.time = timeMs;
  next.policyHash = applied.policyHash;
  for (const fact of facts) applyFact(next, fact, timeMs);
  for (const entry of written.entries) {
    next.number = entry.number;
    next.linkHash = entry.linkHash;
    if (entry.kind === 'BASELINE' || entry.kind === 'LINK' || entry.kind === 'BREAK')
      next.lastLinkId = entry.id;
  }
  for (const alert of written.alerts) next.open = withAlert(next.open, alert);
  return next;
}

/** Field by field, as an entry (see its `Draft`): the writes to a copy made by spreading take a microsecond. */
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
  if (head.parked !== undefined) copy.parked = head.parked;
  return copy;
}

/** Hash of the policy in force after the facts; computed only when they bring another. */
export function policyHashAfter(head: Head, facts: readonly Fact[]): string | null {
  const taken = facts.findLast((fact) => 'policy' in fact);
  return taken === undefined || taken.policy === head.policy ? head.policyHash : policyHash(taken.policy);
}

function applyFact(next: Draft, fact: Fact, timeMs: number): void {
  switch (fact.fact) {
    case 'BEGUN':
    case 'POLICY_RENEWED':
    case 'POLICY_CHANGED':
    case 'SWITCHED':
    case 'DELETED':
      return applyPolicy(next, fact);
    case 'SEQUENCED':
      next.highest = { sequence: fact.sequence, timestamp: fact.timestamp, digest: fact.digest };
      return;
    case 'CONTACTED':
      next.contactAt = timeMs;
      if (fact.checked) next.checkedAt = timeMs;
      return;
    case 'SEQUENCE_FAULT':
      if (fact.code === 'SEQUENCE_BACK') next.sequenceBackAt = timeMs;
      else next.sequenceReusedAt = timeMs;
      return;
    case 'NOTICED':
      next.noticeId = fact.noticeId;
      return;
    default:
      applyVersion(next, fact);
  }
}

type PolicyFact = Extract<Fact, { readonly policy: Policy }>;

function applyPolicy(next: Draft, fact: PolicyFact): void {
  next.policy = fact.policy;
  if (fact.fact === 'DELETED') next.deleted = true;
  if (fact.fact === 'SWITCHED') next.enabledAgain = fact.policy.enabled ? fact.policy.configVersion : null;
  if (fact.fact === 'POLICY_CHANGED' && fact.rebaseline) next.awaitedVersion = fact.policy.configVersion;
}

function applyVersion(next: Draft, fact: Fact): void {
  switch (fact.fact) {
    case 'REPORTED':
      next.last = { length: fact.version.length, hash: fact.version.hash };
      next.missing = false;
      return;
    case 'MISSED':
      next.missing = true;
      return;
    case 'BASELINED':
      next.awaitsNext = false;
      if (fact.awaitedToo) next.awaitedVersion = null;
      return;
    case 'NEXT_AWAITED':
      next.awaitsNext = true;
      return;
    case 'RESUMED':
      next.enabledAgain = null;
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
  };
  return next;
}
