import {
  bodyHash,
  entryNonceHex,
  eventId,
  isRealTime,
  linkHashHex,
  noteHash,
  ZERO_HASH,
  type Bytes32,
  type Entry,
  type EntryKind,
  type Version,
} from '@sentinel-node/contracts';
import { causeOf } from './causes.ts';
import type { EntryEvent } from './domain-event.ts';
import type { Head } from './head.ts';
import type { Source } from './source.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/**
 * An entry is filled field by field, in the order in which it is published. Spreading its parts would cost as much as all its
 * hashes: V8 misses its inline cache for each field that is added to a spread copy.
 */
type Draft = Writable<Omit<Entry, 'nonce' | 'linkHash' | 'firstHash'>>;

/**
 * Appends entries of one record to one file's chain. Ids are made from `timeMs`, the record's time.
 * @boundedBy one record
 */
export class EntryWriter {
  readonly entries: Entry[] = [];
  readonly #source: Source;
  readonly #logId: Uint8Array;
  readonly #policyHash: string;
  readonly #timeMs: number;
  #number: number;
  #previous: Bytes32;

  constructor(source: Source, head: Head, policyHash: string, timeMs: number, logId: Uint8Array) {
    this.#source = source;
    this.#logId = logId;
    this.#policyHash = policyHash;
    this.#timeMs = timeMs;
    this.#number = head.number === null ? 0 : head.number + 1;
    this.#previous = head.linkHash ?? ZERO_HASH;
  }

  append(event: EntryEvent, alertId?: string, causeNumber?: number): Entry {
    const draft = this.#draft(event);
    if (causeNumber !== undefined) draft.causeNumber = causeNumber;
    const body = Object.assign(draft, {
      nonce: entryNonceHex(this.#source.header.nonce, draft.versionIndex),
    });
    const linkHash = this.#chain(bodyHash(body));
    const entry = Object.assign(body, { linkHash, firstHash: body.kind === 'BASELINE' });
    if (alertId !== undefined) entry.alertId = alertId;
    if ('whileDisabled' in event && event.whileDisabled) entry.whileDisabled = true;
    this.entries.push(entry);
    return entry;
  }

  #draft(event: EntryEvent): Draft {
    const kind = kindOf(event);
    const versionIndex = this.entries.length;
    const draft: Draft = {
      id: eventId(this.#timeMs, kind, causeOf(this.#source, versionIndex)),
      number: this.#number,
      kind,
      acceptedAt: this.#source.header.acceptedAt,
      versionIndex,
      policyHash: this.#policyHash,
    };
    if (event.type === 'LINKED' || event.type === 'DEVIATED') addReport(draft, this.#source);
    addFields(draft, event);
    return draft;
  }

  /** Makes the entry with this body the next of the chain, and returns its link hash. */
  #chain(body: Uint8Array): string {
    const subject = this.#source.header.fileId;
    if (subject === null) throw new Error('a device has no chain here');
    const linkHash = linkHashHex({
      logId: this.#logId,
      subjectType: 'FILE',
      subject,
      number: this.#number++,
      previous: this.#previous,
      bodyHash: body,
    });
    this.#previous = linkHash;
    return linkHash;
  }
}

function kindOf(event: EntryEvent): EntryKind {
  switch (event.type) {
    case 'BEGUN':
      return 'GENESIS';
    case 'POLICY_CHANGED':
      return 'POLICY';
    case 'SWITCHED':
      return event.policy.enabled ? 'ENABLED' : 'DISABLED';
    case 'DELETED':
      return 'DELETED';
    case 'LINKED':
      return event.kind;
    case 'DEVIATED':
      return 'BREAK';
    case 'HANDLED':
      return event.status === 'RESOLVED' ? 'DISMISSED' : 'RESET';
  }
}

function addReport(draft: Draft, source: Source): void {
  if (source.kind !== 'report') return;
  const { timestamp } = source.report;
  // An agent's invalid time must not stop the verifier.
  if (isRealTime(timestamp)) draft.reportedAt = Date.parse(timestamp);
  draft.sequence = source.report.sequence;
  draft.reportHash = source.reportHash;
}

function addFields(draft: Draft, event: EntryEvent): void {
  switch (event.type) {
    case 'BEGUN':
      draft.child = event.deviceId;
      return;
    case 'POLICY_CHANGED':
    case 'SWITCHED':
    case 'DELETED':
      if (event.actor !== undefined) draft.actor = event.actor;
      return;
    case 'LINKED':
      return addContent(draft, event.version);
    case 'DEVIATED':
      draft.alertType = event.alertType;
      return addContent(draft, event.version);
    case 'HANDLED':
      addContent(draft, event.version);
      draft.actor = event.actor;
      draft.noteHash = noteHash(event.note);
  }
}

function addContent(draft: Draft, version: Version | undefined): void {
  if (version === undefined) return;
  draft.contentHash = version.hash;
  draft.length = version.length;
}
