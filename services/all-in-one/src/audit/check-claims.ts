import { decodeFileEvent, isCompact, isRecord, TOPICS, type ClaimRecord } from '@sentinel-node/contracts';
import {
  CLAIMS_COLLECTION,
  systemTimers,
  type Claim,
  type Clock,
  type DocumentStore,
  type EventLog,
  type StoredRecord,
} from '@sentinel-node/platform';
import { digestOf } from './digest.ts';
import type { Findings } from './finding.ts';
import { formFault, type Members } from './form-fault.ts';
import { mayFollow } from './may-follow.ts';
import type { Ends } from './verdict-window.ts';
import { AGAIN_MS, type Patience } from './wait-past.ts';

/** Claims read at once. */
const CHUNK = 200;

const MEMBERS: Members<Claim> = { id: true, rev: true, at: true, unpublished: true, record: true };

/** The claim that counts of those that the log has on one alert. */
interface LoggedClaim {
  readonly digest: string;
  readonly occurrences: number;
}

interface Deps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly findings: Findings;
  readonly clock: Clock;
  readonly patience: Pick<Patience, 'isLive' | 'looks'>;
}

/**
 * Compares the claims of the store with those of the log: commands answer from the stored claim who handled an alert. A claim
 * makes room for another only when the alert has counted more occurrences than it names, so that of several on one alert
 * the one with the most counts.
 */
export class ClaimChecks {
  readonly #deps: Deps;
  /** By alert. @boundedBy the number of alerts that somebody handled */
  readonly #logged = new Map<string, LoggedClaim>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a record of the file events. */
  taken({ body }: Pick<StoredRecord, 'body'>): void {
    const claim = claimIn(body);
    if (claim === undefined) return;
    const occurrences = claim.occurrences ?? Infinity;
    const before = this.#logged.get(claim.alertId);
    if (before === undefined || before.occurrences < occurrences)
      this.#logged.set(claim.alertId, { digest: digestOf(claim), occurrences });
  }

  /** Compares the claims when all records before `next` were taken. @returns the number of compared claims */
  async end(next: Ends): Promise<number> {
    const { findings, patience, store } = this.#deps;
    await store.ensure([CLAIMS_COLLECTION]);
    let faults = await this.#faultsOf(await this.#allIds());
    // A running system makes claims meanwhile; one is marked as published after its record is durable.
    for (let look = 1, from = next; faults.size > 0 && look < patience.looks; look++) {
      await systemTimers.delay(AGAIN_MS);
      const ids = [...faults.keys()];
      from = await this.#takeFrom(from);
      faults = await this.#faultsOf(ids);
    }
    for (const [id, what] of faults) findings.add('claims', `${id}: ${what}`);
    return this.#logged.size;
  }

  async #allIds(): Promise<string[]> {
    const ids = new Set(this.#logged.keys());
    for await (const page of this.#deps.store.scan(CLAIMS_COLLECTION.name))
      for (const { id } of page) ids.add(id);
    return [...ids];
  }

  /** @returns what is wrong with a claim, by id; claims that fit are left out */
  async #faultsOf(ids: readonly string[]): Promise<Map<string, string>> {
    const faults = new Map<string, string>();
    for (let at = 0; at < ids.length; at += CHUNK) {
      const chunk = ids.slice(at, at + CHUNK);
      const found = await this.#deps.store.getMany(CLAIMS_COLLECTION.name, chunk);
      const stored = new Map(found.map((claim) => [claim.id, claim]));
      for (const id of chunk) {
        const what = this.#faultOf(id, stored.get(id), this.#logged.get(id));
        if (what !== undefined) faults.set(id, what);
      }
    }
    return faults;
  }

  /** A claim that a running system is about to publish is not compared: its record comes. */
  #faultOf(id: string, stored: Claim | undefined, logged: LoggedClaim | undefined): string | undefined {
    if (stored === undefined) return logged === undefined ? undefined : 'missing, the log has it';
    const { record } = stored;
    // Somebody wrote to the store.
    if (!isRecord(record)) return 'it is not in the form of a claim';
    if (record.alertId !== id) return `it is of alert ${record.alertId}`;
    const fault = formFault(stored, MEMBERS);
    if (fault !== undefined) return fault;
    if (logged !== undefined && digestOf(record) === logged.digest) return undefined;
    const isNewer = (record.occurrences ?? Infinity) > (logged?.occurrences ?? -1);
    const { clock, patience } = this.#deps;
    if (isNewer && mayFollow(stored, patience, clock.now())) return undefined;
    return logged === undefined
      ? 'no record of the log gives it'
      : 'its record differs from what the log has';
  }

  async #takeFrom(from: Ends): Promise<Ends> {
    const { eventLog } = this.#deps;
    const ends = new Map<number, number>();
    for (const { end, partition } of await eventLog.bounds(TOPICS.fileEvents)) {
      ends.set(partition, end);
      const start = from.get(partition) ?? 0;
      if (start >= end) continue;
      for await (const { records } of eventLog.read(TOPICS.fileEvents, partition, start, end))
        for (const record of records) this.taken(record);
    }
    return ends;
  }
}

/** Returns the claim of a record; undefined when the record is something else, or cannot be read, which the verdicts tell. */
function claimIn(body: Uint8Array): ClaimRecord | undefined {
  try {
    // Claims are in no compact encoding, and all else of the topic is a report then.
    if (isCompact(body)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an invalid claim only the comparison suffers
    const header = decodeFileEvent(body).header as ClaimRecord | null;
    return header?.kind === 'claim' ? header : undefined;
  } catch {
    return undefined;
  }
}
