/** Keeps the counts of organisations in memory, updated by every change of their views. */
import { keysOf, type DeviceCounts, type FeedItem } from '@sentinel-node/contracts';
import {
  LRUCache,
  type Clock,
  type CollectionWrite,
  type Document,
  type DocumentStore,
  type Log,
  type Metrics,
} from '@sentinel-node/platform';
import { readExpirations, type Expirations } from '../devices/index.ts';
import type { ViewWriter } from '../views/index.ts';
import { ChangedObjects } from './heard.ts';
import { isCounted, KnownOrganization } from './known-organization.ts';
import { checkAfterMs, SUMMARY_LIMITS } from './limits.ts';
import { loadOrganization } from './load-organization.ts';
import { deviceCountsOf, summaryOf, type Summary, type Survey } from './summary.ts';
import { surveyOf } from './survey.ts';

export interface SummariesDeps {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** True when no other process writes the views. */
  readonly isSoleWriter: boolean;
}

/** Documents of one organisation by collection. */
type Taken = { readonly collection: string; readonly documents: readonly Document[] }[];

interface Write {
  readonly orgIds: ReadonlySet<string>;
  readonly done: Promise<void>;
}

interface Kept {
  readonly organization: KnownOrganization;
  readonly heard: ChangedObjects;
  /** Time (ms) of the load from the store. */
  readonly loadedAt: number;
  /** Age (ms) at which a read compares the organisation with the store. */
  readonly checkAfter: number;
  /** Size counted against the pool. */
  size: number;
}

interface Draft {
  readonly organization: KnownOrganization;
  readonly heard: ChangedObjects;
  /** True after a failed write during the load: the store's content is uncertain. */
  isSpoiled: boolean;
}

interface Loading {
  readonly draft: Draft;
  /** undefined when the organisation cannot be kept. */
  readonly result: Promise<KnownOrganization | undefined>;
}

/**
 * Every writer of views writes through this object. An organisation that cannot be kept is surveyed on every read.
 * @pool known-files
 */
export class Summaries implements ViewWriter {
  readonly #deps: SummariesDeps;
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: SUMMARY_LIMITS.files,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  /** @boundedBy SUMMARY_LIMITS.loadsAtOnce */
  readonly #loading = new Map<string, Loading>();
  /** @boundedBy the calls that the store takes at once */
  readonly #writes = new Set<Write>();
  readonly #countDifference: (labels: Record<never, string>) => void;
  #confirm: (orgId: string) => Promise<boolean> = async () => false;

  constructor(deps: SummariesDeps) {
    this.#deps = deps;
    this.#countDifference = deps.metrics.counter({
      name: 'query_summaries_mended_total',
      help: 'Summaries of organizations that differed from a survey of the store, and were replaced by it',
    });
  }

  /** Number of kept files and devices. */
  get used(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * Sets the function with which a read makes sure, when other processes write too, that `noteChanges` has received every
   * change of an organisation. Until it is set nothing is kept.
   */
  confirmBy(confirm: (orgId: string) => Promise<boolean>): void {
    this.#confirm = confirm;
  }

  async summary(orgId: string): Promise<Summary> {
    return summaryOf(await this.survey(orgId));
  }

  async deviceCounts(orgId: string): Promise<DeviceCounts> {
    return deviceCountsOf(await this.survey(orgId));
  }

  /** As `summary`, but counts an organisation that is not kept from the store, without keeping it. */
  async glance(orgId: string): Promise<Summary> {
    if (this.#kept.peek(orgId) !== undefined) return this.summary(orgId);
    const { store, clock } = this.#deps;
    return summaryOf(await surveyOf(store, orgId, clock.now()));
  }

  async survey(orgId: string): Promise<Survey> {
    const { store, clock } = this.#deps;
    const known = await this.#known(orgId);
    return known?.survey(clock.now()) ?? surveyOf(store, orgId, clock.now());
  }

  /** As `readExpirations`; `nextAt` may be earlier. @param since milliseconds */
  async expirations(orgId: string, since: number): Promise<Expirations> {
    const known = await this.#known(orgId);
    return known?.expirations(since, this.#deps.clock.now()) ?? readExpirations(this.#deps, orgId, since);
  }

  async writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void> {
    const taken = byOrganization(batches.flat());
    const done = this.#deps.store.writeBatches(batches).then(
      () => this.#take(taken),
      (error: unknown) => {
        for (const orgId of taken.keys()) this.#forget(orgId);
        throw error;
      },
    );
    const write = { orgIds: new Set(taken.keys()), done };
    this.#writes.add(write);
    try {
      await done;
    } finally {
      this.#writes.delete(write);
    }
  }

  /** Notes the objects of an organisation that another process may have written. */
  noteChanges(orgId: string, items: readonly FeedItem[]): void {
    if (this.#deps.isSoleWriter) return;
    this.#kept.peek(orgId)?.heard.add(items);
    this.#loading.get(orgId)?.draft.heard.add(items);
  }

  /** Drops an organisation after an unreadable feed record. */
  drop(orgId: string): void {
    if (!this.#deps.isSoleWriter) this.#forget(orgId);
  }

  /** Drops all organisations after a gap in the feed. */
  dropAll(): void {
    for (const orgId of [...this.#kept.keys(), ...this.#loading.keys()]) this.drop(orgId);
  }

  /** Drops an organisation whose writes are uncertain; the next read loads it again. */
  #forget(orgId: string): void {
    this.#kept.delete(orgId);
    const loading = this.#loading.get(orgId);
    if (loading !== undefined) loading.draft.isSpoiled = true;
  }

  #take(taken: ReadonlyMap<string, Taken>): void {
    for (const [orgId, writes] of taken)
      for (const held of [this.#kept.peek(orgId), this.#loading.get(orgId)?.draft]) {
        if (held === undefined) continue;
        for (const { collection, documents } of writes)
          held.organization.take(collection, documents, 'written');
        held.heard.add(held.organization.takeMet());
      }
  }

  /** Returns the organisation as of now or later; undefined when it is not kept. */
  async #known(orgId: string): Promise<KnownOrganization | undefined> {
    if (!this.#deps.isSoleWriter && !(await this.#confirm(orgId))) return undefined;
    const kept = this.#kept.get(orgId);
    if (kept === undefined) return this.#load(orgId)?.result;
    await this.#upToDate(orgId, kept);
    if (this.#kept.peek(orgId) !== kept) return undefined;
    this.#weigh(orgId, kept);
    // The clock may have gone back.
    if (Math.abs(this.#deps.clock.now() - kept.loadedAt) >= kept.checkAfter) this.#check(orgId);
    return kept.organization;
  }

  /** Waits for running writes, because another read may have seen their documents. */
  async #upToDate(
    orgId: string,
    { organization, heard }: Pick<Kept, 'organization' | 'heard'>,
  ): Promise<void> {
    const writes = [...this.#writes].filter(({ orgIds }) => orgIds.has(orgId));
    if (writes.length > 0) await Promise.allSettled(writes.map(({ done }) => done));
    await heard.readInto(this.#deps.store, orgId, organization);
  }

  #weigh(orgId: string, kept: Kept): void {
    const { size } = kept.organization;
    if (size === kept.size) return;
    kept.size = size;
    this.#kept.delete(orgId);
    this.#kept.set(orgId, kept);
  }

  /** Returns undefined when too many organisations are being loaded. */
  #load(orgId: string): Loading | undefined {
    const existing = this.#loading.get(orgId);
    if (existing !== undefined) return existing;
    if (this.#loading.size >= SUMMARY_LIMITS.loadsAtOnce) return undefined;
    const draft = { organization: new KnownOrganization(), heard: new ChangedObjects(), isSpoiled: false };
    const result = this.#read(orgId, draft).finally(() => this.#loading.delete(orgId));
    const loading = { draft, result };
    this.#loading.set(orgId, loading);
    return loading;
  }

  async #read(orgId: string, draft: Draft): Promise<KnownOrganization | undefined> {
    const { store, clock } = this.#deps;
    const { organization, heard } = draft;
    const [loadedAt, limit] = [clock.now(), SUMMARY_LIMITS.files];
    const isWhole = await loadOrganization(store, orgId, organization, { now: loadedAt, limit });
    await this.#upToDate(orgId, draft);
    if (!isWhole || draft.isSpoiled) {
      this.#kept.delete(orgId);
      return undefined;
    }
    if (heard.isEmpty) this.#compare(orgId, organization);
    const checkAfter = checkAfterMs(clock.now() - loadedAt);
    this.#kept.set(orgId, { organization, heard, loadedAt, checkAfter, size: organization.size });
    return organization;
  }

  /** Loads the organisation again, to compare it with the kept facts. */
  #check(orgId: string): void {
    this.#load(orgId)?.result.catch((error: unknown) =>
      this.#deps.log.warn({ err: error, orgId }, 'a summary could not be checked; the next read tries again'),
    );
  }

  /** Compares only when this process is the sole writer: with other writers `fresh` may be newer. */
  #compare(orgId: string, fresh: KnownOrganization): void {
    const kept = this.#kept.peek(orgId);
    if (kept === undefined || !kept.heard.isEmpty || !this.#deps.isSoleWriter) return;
    const now = this.#deps.clock.now();
    const [before, found] = [summaryOf(kept.organization.survey(now)), summaryOf(fresh.survey(now))];
    const differing = keysOf(found).filter((key) => !isSame(before, found, key));
    if (differing.length === 0) return;
    this.#countDifference({});
    this.#deps.log.error(
      { orgId, differing },
      'a summary differed from a survey of the store and was replaced',
    );
  }
}

const isSame = (one: Summary, other: Summary, key: keyof Summary): boolean =>
  JSON.stringify(one[key]) === JSON.stringify(other[key]);

function byOrganization(writes: readonly CollectionWrite[]): Map<string, Taken> {
  const found = new Map<string, Taken>();
  for (const { collection, documents } of writes) {
    if (!isCounted(collection)) continue;
    const own = new Map<string, Document[]>();
    for (const document of documents) {
      const orgId = String(document['orgId']);
      const held = own.get(orgId);
      if (held === undefined) own.set(orgId, [document]);
      else held.push(document);
    }
    for (const [orgId, given] of own) {
      const taken = found.get(orgId) ?? [];
      taken.push({ collection, documents: given });
      found.set(orgId, taken);
    }
  }
  return found;
}
