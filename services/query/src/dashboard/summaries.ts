/** Keeps the counts of organisations in memory, updated by every change of their views. */
import { keysOf, type DeviceCounts, type FeedItem } from '@sentinel-node/contracts';
import {
  readClockAhead,
  type Clock,
  type CollectionWrite,
  type Document,
  type DocumentStore,
  type Log,
  type Metrics,
} from '@sentinel-node/platform';
import { readExpirations, type Expirations } from '../devices/index.ts';
import { OrganizationCache } from '../storage/organization-cache.ts';
import type { ViewWriter } from '../views/index.ts';
import { ChangedObjects } from './heard.ts';
import { isCounted, KnownOrganization } from './known-organization.ts';
import { checkAfterMs, SUMMARY_LIMITS } from './limits.ts';
import { loadOrganization } from './load-organization.ts';
import { ParkedFiles } from './parked-files.ts';
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

interface Held {
  readonly organization: KnownOrganization;
  readonly heard: ChangedObjects;
}

/**
 * Every writer of views writes through this object. An organisation that cannot be kept is surveyed on every read.
 * @pool known-files
 */
export class Summaries implements ViewWriter {
  readonly #deps: SummariesDeps;
  readonly #cache: OrganizationCache<Held>;
  readonly #parked: ParkedFiles;
  /** @boundedBy the calls that the store takes at once */
  readonly #writes = new Set<Write>();
  #revision = 0;
  readonly #countDifference: (labels: Record<never, string>) => void;

  constructor(deps: SummariesDeps) {
    this.#deps = deps;
    this.#parked = new ParkedFiles(deps.store);
    this.#cache = new OrganizationCache({
      clock: deps.clock,
      log: deps.log,
      maxSize: SUMMARY_LIMITS.files,
      loadsAtOnce: SUMMARY_LIMITS.loadsAtOnce,
      begin: () => ({ organization: new KnownOrganization(), heard: new ChangedObjects() }),
      load: (orgId, { organization }) =>
        loadOrganization(deps.store, orgId, organization, {
          now: deps.clock.now(),
          limit: SUMMARY_LIMITS.files,
        }),
      catchUp: (orgId, held) => this.#catchUp(orgId, held),
      sizeOf: ({ organization }) => organization.size,
      renewAfterMs: checkAfterMs,
      compare: (orgId, kept, fresh) => this.#compare(orgId, kept, fresh),
    });
    this.#countDifference = deps.metrics.counter({
      name: 'query_summaries_mended_total',
      help: 'Summaries of organizations that differed from a survey of the store, and were replaced by it',
    });
  }

  /** Number of kept files and devices. */
  get used(): number {
    return this.#cache.used;
  }

  /** Number of known parked files. */
  get parked(): number {
    return this.#parked.used;
  }

  /**
   * Sets the function with which a read makes sure, when other processes write too, that `noteChanges` has received every
   * change of an organisation. Until it is set nothing is kept.
   */
  confirmBy(confirm: (orgId: string) => Promise<boolean>): void {
    this.#cache.confirmBy(confirm);
  }

  async summary(orgId: string): Promise<Summary> {
    return summaryOf(await this.survey(orgId));
  }

  /** Returns the `rev` of a summary that was counted just now: the time (ms), and never less than before, although the clock may go back. */
  revision(): number {
    return (this.#revision = Math.max(this.#revision, this.#deps.clock.now()));
  }

  async deviceCounts(orgId: string): Promise<DeviceCounts> {
    return deviceCountsOf(await this.survey(orgId));
  }

  /** As `summary`, but counts an organisation that is not kept from the store, without keeping it and without its parked files. */
  async glance(orgId: string): Promise<Summary> {
    if (this.#cache.has(orgId)) return this.summary(orgId);
    const { store, clock } = this.#deps;
    return summaryOf(await surveyOf(store, orgId, clock.now()));
  }

  async survey(orgId: string): Promise<Survey> {
    const { store, clock } = this.#deps;
    const areChangesNoted = await this.#areChangesNoted(orgId);
    // After the changes, which tell of parkings, and before the organisation, which is counted as soon as it is confirmed.
    const parked = await this.#parked.of(orgId);
    const known = areChangesNoted ? await this.#known(orgId) : undefined;
    return known?.survey(clock.now(), parked) ?? surveyOf(store, orgId, clock.now(), parked);
  }

  /** As `readExpirations`; `nextAt` may be earlier. @param since milliseconds */
  async expirations(orgId: string, since: number): Promise<Expirations> {
    const known = (await this.#areChangesNoted(orgId)) ? await this.#known(orgId) : undefined;
    return known?.expirations(since, this.#deps.clock.now()) ?? readExpirations(this.#deps, orgId, since);
  }

  async writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void> {
    const taken = byOrganization(batches.flat());
    const done = this.#deps.store.writeBatches(batches).then(
      () => this.#take(taken),
      (error: unknown) => {
        // The next read loads the organisation again, because the store's content is uncertain.
        for (const orgId of taken.keys()) this.#cache.drop(orgId);
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
    if (items.some(({ kind }) => kind === 'parking')) this.#parked.forget();
    if (this.#deps.isSoleWriter) return;
    for (const { heard } of this.#cache.noting(orgId)) heard.add(items);
  }

  /** Drops an organisation after an unreadable feed record. */
  drop(orgId: string): void {
    this.#parked.forget();
    if (!this.#deps.isSoleWriter) this.#cache.drop(orgId);
  }

  /** Drops all organisations after a gap in the feed. */
  dropAll(): void {
    this.#parked.forget();
    if (!this.#deps.isSoleWriter) this.#cache.dropAll();
  }

  #take(taken: ReadonlyMap<string, Taken>): void {
    for (const [orgId, writes] of taken)
      for (const { organization, heard } of this.#cache.noting(orgId)) {
        for (const { collection, documents } of writes) organization.take(collection, documents, 'written');
        heard.add(organization.takeMet());
      }
  }

  /** Returns whether every change of the organisation up to now was noted or written here. */
  async #areChangesNoted(orgId: string): Promise<boolean> {
    return this.#deps.isSoleWriter || this.#cache.confirm(orgId);
  }

  /** Returns the organisation as of now or later, its changes being noted; undefined when it is not kept. */
  async #known(orgId: string): Promise<KnownOrganization | undefined> {
    const held = await this.#cache.get(orgId);
    if (held === 'TOO_LARGE' || held === 'BUSY') return undefined;
    // A write failed meanwhile, or changes were missed.
    const ahead = await readClockAhead(this.#deps.store);
    if (!this.#cache.isKept(orgId, held)) return undefined;
    held.organization.setAhead(ahead);
    return held.organization;
  }

  /** Waits for running writes, because another read may have seen their documents. */
  async #catchUp(orgId: string, { organization, heard }: Held): Promise<void> {
    const writes = [...this.#writes].filter(({ orgIds }) => orgIds.has(orgId));
    if (writes.length > 0) await Promise.allSettled(writes.map(({ done }) => done));
    await heard.readInto(this.#deps.store, orgId, organization);
  }

  /** Compares only when this process is the sole writer: with other writers `fresh` may be newer. */
  #compare(orgId: string, kept: Held, fresh: Held): void {
    if (!this.#deps.isSoleWriter || !kept.heard.isEmpty || !fresh.heard.isEmpty) return;
    const now = this.#deps.clock.now();
    kept.organization.setAhead(fresh.organization.ahead);
    const [before, found] = [
      summaryOf(kept.organization.survey(now)),
      summaryOf(fresh.organization.survey(now)),
    ];
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
