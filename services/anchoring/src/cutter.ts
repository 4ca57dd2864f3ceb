import { TOPICS, type Category, type Cut, omit } from '@sentinel-node/contracts';
import { saveIfCurrent, WaitClock } from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Log, StoredRecord } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CutDocument } from './collections.ts';
import { buildCut, EMPTY_LOG, type YieldTurn, type LogState } from './domain/build-cut.ts';
import { cutDueAt, cappedIntervalMs, type CategoryIntervals } from './domain/due.ts';
import { evidenceOfCut } from './domain/evidence.ts';
import { newEntries, Pending } from './domain/pending.ts';
import { badRecord } from './errors.ts';
import { readHeads, replayHeads, writeHeads } from './heads.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { parseChainRecord } from './parse-record.ts';
import { logBefore } from './log-before.ts';
import { publishAnchor, recordOfCut } from './publish.ts';
import { newestCut } from './recorded-log.ts';

const { name: CUTS } = OWN_COLLECTIONS.cuts;

export interface CutterDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly logId: Uint8Array;
  readonly categoryIntervalSeconds: CategoryIntervals;
  /** Default `ANCHORING_LIMITS.batchLeaves`. */
  readonly batchLeaves?: number;
  readonly yieldTurn: YieldTurn;
  readonly onCut?: (cut: Cut) => void;
}

interface ParsedRecord {
  readonly record: StoredRecord;
  readonly parsed: ReturnType<typeof parseChainRecord>;
}

/**
 * Reads the chain topic and records cuts. One call at a time.
 * @pool known-subjects
 */
export class Cutter {
  readonly #deps: CutterDeps;
  readonly #batchLeaves: number;
  readonly #spacingMs: number;
  #log: LogState = EMPTY_LOG;
  #pending = new Pending(new Map());
  /** Last anchored numbers by subject, so that the store is not read for each record. */
  #known = new Map<string, number>();
  /** A recorded cut whose consequences are not all written; no record is read before that. */
  #unsettled: { readonly document: CutDocument; readonly settle: () => Promise<void> } | undefined;
  readonly #waits: WaitClock;
  /** When this process last made a cut: `closedAt` may be of a clock that was ahead. */
  #cutAt = -Infinity;
  #readTo: number;
  #ended = false;

  constructor(deps: CutterDeps) {
    this.#deps = deps;
    this.#batchLeaves = deps.batchLeaves ?? ANCHORING_LIMITS.batchLeaves;
    this.#spacingMs = cappedIntervalMs(ANCHORING_LIMITS.cutSpacingMs, deps.categoryIntervalSeconds);
    this.#waits = new WaitClock(deps.clock);
    this.#readTo = this.#waits.now();
  }

  /** Number of leaves without a cut. */
  get waiting(): number {
    return this.#pending.leafCount;
  }

  /** Milliseconds since every record of the chain topic was read, and cut if it was due; at first since the start. */
  get unreadMs(): number {
    return this.#waits.now() - this.#readTo;
  }

  /** Continues from the last recorded cut of any process. */
  async restore(): Promise<void> {
    const { store, eventLog } = this.#deps;
    const last = await newestCut(store);
    this.#log = last?.log ?? EMPTY_LOG;
    this.#pending = new Pending(new Map(last?.next.map(({ partition, offset }) => [partition, offset])));
    this.#known = new Map();
    this.#unsettled =
      last?.unpublished === undefined
        ? undefined
        : { document: last, settle: () => replayHeads(store, eventLog, last.cut) };
  }

  /** Ends after the current work; a long read ends early. */
  end(): void {
    this.#ended = true;
  }

  /** Reads new records, and makes a cut if one is due or the batch is full. */
  async step(): Promise<void> {
    const { eventLog } = this.#deps;
    const begunAt = this.#waits.now();
    await this.#settle();
    for (const { partition, end } of await eventLog.bounds(TOPICS.chain)) {
      const from = this.#pending.nextOffset(partition);
      if (from >= end) continue;
      for await (const { records } of eventLog.read(TOPICS.chain, partition, from, end))
        if (this.#ended || !(await this.#absorb(records))) return;
    }
    if (this.#ended) return;
    const { dueAt } = this.#pending;
    const now = this.#waits.now();
    if (dueAt !== undefined && now >= dueAt) {
      const isSpaced = now >= this.#cutAt + this.#spacingMs;
      if (!isSpaced || !(await this.#cut())) return;
    }
    this.#readTo = begunAt;
  }

  /** Returns false when another process made the cut; the records read are then dropped. */
  async #absorb(records: readonly StoredRecord[]): Promise<boolean> {
    const { categoryIntervalSeconds: intervals, clock } = this.#deps;
    const [now, waited] = [clock.now(), this.#waits.now()];
    /** In the time of `#waits`, which no clock sets back; an entry of a clock that was ahead counts as accepted now. */
    const dueAt = (acceptedAt: number, category: Category): number =>
      waited + cutDueAt(Math.min(acceptedAt, now), category, intervals) - now;
    const batch = records.map((record) => ({ record, parsed: parseChainRecord(record) }));
    await this.#prime(batch);
    for (const [index, { record, parsed }] of batch.entries()) {
      let entries = this.#newOf(record, parsed);
      const { leafCount } = this.#pending;
      if (leafCount > 0 && leafCount + entries.length > this.#batchLeaves) {
        if (!(await this.#cut())) return false;
        await this.#prime(batch.slice(index));
        entries = this.#newOf(record, parsed);
      }
      this.#pending.add(record, parsed.fileId, entries, (at) => dueAt(at, parsed.category));
    }
    return true;
  }

  #newOf({ partition, offset }: StoredRecord, { fileId, entries }: ParsedRecord['parsed']) {
    if (fileId === null || entries.length === 0) return [];
    const found = newEntries(entries, this.#pending.lastNumber(fileId) ?? this.#known.get(fileId) ?? -1);
    if (typeof found === 'string') throw badRecord(partition, offset, found);
    return found;
  }

  /** Reads the last anchored numbers of these records' subjects into `#known`. */
  async #prime(batch: readonly ParsedRecord[]): Promise<void> {
    if (this.#known.size > ANCHORING_LIMITS.knownSubjects) this.#known.clear();
    const unknown = new Set<string>();
    for (const { parsed } of batch) {
      if (parsed.fileId === null || parsed.entries.length === 0) continue;
      const known = this.#pending.lastNumber(parsed.fileId) ?? this.#known.get(parsed.fileId);
      if (known === undefined) unknown.add(parsed.fileId);
    }
    if (unknown.size === 0) return;
    const heads = await readHeads(this.#deps.store, [...unknown]);
    for (const subject of unknown) this.#known.set(subject, heads.get(subject) ?? -1);
  }

  async #cut(): Promise<boolean> {
    const { store, clock, logId, yieldTurn } = this.#deps;
    this.#cutAt = this.#waits.now();
    const collected = this.#pending.collected();
    const { cut, log } = await buildCut(logId, this.#log, collected, clock.now(), yieldTurn);
    const next = [...collected.next].map(([partition, offset]) => ({ partition, offset }));
    const document: CutDocument = { id: batchId(cut.batch), rev: 1, unpublished: 1, cut, log, next };
    if (!(await saveIfCurrent(store, CUTS, document, undefined))) {
      this.#deps.log.warn({ batch: cut.batch }, 'another process has made the cut');
      await this.restore();
      return false;
    }
    const heads = new Map<string, number>();
    for (const subject of collected.runs.keys()) heads.set(subject, this.#pending.lastNumber(subject)!);
    this.#log = log;
    this.#pending = new Pending(collected.next);
    for (const [subject, number] of heads) this.#known.set(subject, number);
    this.#unsettled = { document, settle: () => writeHeads(store, heads) };
    this.#deps.onCut?.(cut);
    await this.#settle();
    return true;
  }

  async #settle(): Promise<void> {
    if (this.#unsettled === undefined) return;
    const { document, settle } = this.#unsettled;
    const { cut } = document;
    await settle();
    const before = await logBefore(this.#deps.store, cut.batch);
    await publishAnchor(this.#deps, recordOfCut(cut, before && evidenceOfCut(before)));
    const settled = { ...omit(document, 'unpublished'), rev: document.rev + 1 };
    await this.#deps.store.bulkUpsert(CUTS, [settled]);
    this.#unsettled = undefined;
  }
}
