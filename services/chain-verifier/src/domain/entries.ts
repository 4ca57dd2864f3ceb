import {
  bodyHash,
  entryNonce,
  eventId,
  fromHex,
  linkHash,
  noteHash,
  toHex,
  type AlertType,
  type Entry,
  type EntryBody,
  type EntryKind,
  type Version,
} from '@sentinel-node/contracts';
import { causeOf } from './causes.ts';
import type { EntryFact } from './facts.ts';
import type { Head } from './head.ts';
import type { Source } from './source.ts';

type EntryFields = Pick<
  EntryBody,
  'contentHash' | 'length' | 'causeNumber' | 'actor' | 'noteHash' | 'child' | 'alertType'
>;

/** Appends entries of one record to one file's chain. Ids are made from `timeMs`, the record's time. */
export class EntryWriter {
  readonly entries: Entry[] = [];
  readonly #source: Source;
  readonly #logId: Uint8Array;
  readonly #policyHash: string;
  readonly #timeMs: number;
  readonly #nonce: Uint8Array;
  /** What entries by a report have in common; made with the first of them. */
  #reported: Pick<EntryBody, 'reportedAt' | 'sequence' | 'reportHash'> | undefined;
  #number: number;
  #previous: string | undefined;

  constructor(source: Source, head: Head, policyHash: string, timeMs: number, logId: Uint8Array) {
    this.#source = source;
    this.#logId = logId;
    this.#policyHash = policyHash;
    this.#timeMs = timeMs;
    this.#nonce = fromHex(source.header.nonce);
    this.#number = head.number === null ? 0 : head.number + 1;
    this.#previous = head.linkHash ?? undefined;
  }

  append(fact: EntryFact, views: Pick<Entry, 'alertId'>, causeNumber?: number): Entry {
    const versionIndex = this.entries.length;
    const kind = kindOf(fact);
    const nonce = entryNonce(this.#nonce, versionIndex);
    const body = {
      kind,
      acceptedAt: this.#source.header.acceptedAt,
      versionIndex,
      policyHash: this.#policyHash,
      ...this.#reportedFields(fact),
      ...fieldsOf(fact),
      ...(causeNumber === undefined ? {} : { causeNumber }),
    };
    const hash = this.#chain(bodyHash({ ...body, nonce }));
    const entry: Entry = {
      id: eventId(this.#timeMs, kind, causeOf(this.#source, versionIndex)),
      number: this.#number++,
      ...body,
      nonce: toHex(nonce),
      linkHash: hash,
      firstHash: kind === 'BASELINE',
      ...views,
      ...('whileDisabled' in fact && fact.whileDisabled ? { whileDisabled: true } : {}),
    };
    this.entries.push(entry);
    return entry;
  }

  #chain(body: Uint8Array): string {
    const subject = this.#source.header.fileId;
    if (subject === null) throw new Error('a device has no chain here');
    const hash = linkHash({
      logId: this.#logId,
      subjectType: 'FILE',
      subject,
      number: this.#number,
      ...(this.#previous === undefined ? {} : { previous: this.#previous }),
      bodyHash: body,
    });
    return (this.#previous = toHex(hash));
  }

  #reportedFields(fact: EntryFact): Pick<EntryBody, 'reportedAt' | 'sequence' | 'reportHash'> {
    const source = this.#source;
    if (source.kind !== 'report' || (fact.fact !== 'LINKED' && fact.fact !== 'DEVIATED')) return {};
    return (this.#reported ??= {
      ...reportedAt(source.report.timestamp),
      sequence: source.report.sequence,
      reportHash: source.reportHash,
    });
  }
}

/** Absent when the text names no time from 1970 on: an agent must not be able to stop its verifier with one. */
function reportedAt(timestamp: string): { reportedAt?: number } {
  const ms = Date.parse(timestamp);
  return ms >= 0 && new Date(ms).toISOString() === timestamp ? { reportedAt: ms } : {};
}

function kindOf(fact: EntryFact): EntryKind {
  switch (fact.fact) {
    case 'BEGUN':
      return 'GENESIS';
    case 'POLICY_CHANGED':
      return 'POLICY';
    case 'SWITCHED':
      return fact.policy.enabled ? 'ENABLED' : 'DISABLED';
    case 'DELETED':
      return 'DELETED';
    case 'LINKED':
      return fact.kind;
    case 'DEVIATED':
      return 'BREAK';
    case 'HANDLED':
      return fact.status === 'RESOLVED' ? 'DISMISSED' : 'RESET';
  }
}

function fieldsOf(fact: EntryFact): EntryFields {
  switch (fact.fact) {
    case 'BEGUN':
      return { child: fact.deviceId };
    case 'POLICY_CHANGED':
    case 'SWITCHED':
    case 'DELETED':
      return fact.actor === undefined ? {} : { actor: fact.actor };
    case 'LINKED':
      return content(fact.version);
    case 'DEVIATED':
      return { alertType: fact.alertType satisfies AlertType, ...content(fact.version) };
    case 'HANDLED':
      return { ...content(fact.version), actor: fact.actor, noteHash: noteHash(fact.note) };
  }
}

function content(version: Version | undefined): Pick<EntryBody, 'contentHash' | 'length'> {
  return version === undefined ? {} : { contentHash: version.hash, length: version.length };
}
