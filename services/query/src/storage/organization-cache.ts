/** Keeps facts of organisations in memory: loaded from the store once, then brought up to date by what is heard of them. */
import { LRUCache, type Clock, type Log } from '@sentinel-node/platform';

export interface OrganizationCacheParts<T extends object> {
  readonly clock: Clock;
  readonly log: Log;
  /** The most that is kept of all organisations, in the unit of `sizeOf`. */
  readonly maxSize: number;
  /** Organisations that are loaded from the store in parallel. */
  readonly loadsAtOnce: number;
  /** Returns empty facts of an organisation. Changes are noted in them from now on. */
  readonly begin: () => T;
  /** Reads the organisation into its empty facts. @returns false when it is too large to be kept */
  readonly load: (orgId: string, facts: T) => Promise<boolean>;
  /** Resolves when every change noted before the call is in the facts. */
  readonly catchUp: (orgId: string, facts: T) => Promise<void>;
  readonly sizeOf: (facts: T) => number;
  /** Returns the age (ms) at which a read loads the facts again. @param loadMs duration of their load */
  readonly renewAfterMs: (loadMs: number) => number;
  /** Compares the kept facts with those that will replace them. */
  readonly compare?: (orgId: string, kept: T, fresh: T) => void;
}

interface Kept<T> {
  readonly facts: T;
  /** Time of the load, in milliseconds. */
  readonly loadedAt: number;
  /** Age (ms) at which a read loads the facts again. */
  readonly renewAfter: number;
  /** Size counted against `maxSize`. */
  size: number;
}

interface Draft<T> {
  readonly facts: T;
  /** True after a `drop` during the load: the facts are not kept, and a later read needs another load. */
  isDropped: boolean;
}

interface Loading<T> {
  readonly draft: Draft<T>;
  readonly result: Promise<T | NotKept>;
}

/** Why an organisation's facts are not there: it has too many, or too many organisations are being loaded. */
export type NotKept = 'TOO_LARGE' | 'BUSY';

/** @poolKind */
export class OrganizationCache<T extends object> {
  readonly #parts: OrganizationCacheParts<T>;
  readonly #kept: LRUCache<string, Kept<T>>;
  /**
   * A dropped load keeps its place until its end.
   * @boundedBy `loadsAtOnce`
   */
  readonly #loading = new Map<string, Loading<T>>();
  #confirm: (orgId: string) => Promise<boolean> = async () => false;

  constructor(parts: OrganizationCacheParts<T>) {
    this.#parts = parts;
    this.#kept = new LRUCache({ maxSize: parts.maxSize, sizeCalculation: ({ size }) => Math.max(1, size) });
  }

  /** Size of all kept facts. */
  get used(): number {
    return this.#kept.calculatedSize;
  }

  /** Sets the function that makes sure that every change of an organisation is noted. */
  confirmBy(confirm: (orgId: string) => Promise<boolean>): void {
    this.#confirm = confirm;
  }

  /** Returns whether every change of the organisation up to now is noted; false until `confirmBy` is called. */
  confirm(orgId: string): Promise<boolean> {
    return this.#confirm(orgId);
  }

  has(orgId: string): boolean {
    return this.#kept.peek(orgId) !== undefined;
  }

  /** Returns whether these facts are the organisation's kept ones. */
  isKept(orgId: string, facts: T): boolean {
    return this.#kept.peek(orgId)?.facts === facts;
  }

  /** Returns the organisation's facts in which changes must be noted: the kept ones, and those of a load under way. */
  noting(orgId: string): T[] {
    return [this.#kept.peek(orgId), this.#loading.get(orgId)?.draft].flatMap((held) => held?.facts ?? []);
  }

  /** Drops an organisation's facts, because changes were missed. */
  drop(orgId: string): void {
    this.#kept.delete(orgId);
    const loading = this.#loading.get(orgId);
    if (loading !== undefined) loading.draft.isDropped = true;
  }

  dropAll(): void {
    for (const orgId of [...this.#kept.keys(), ...this.#loading.keys()]) this.drop(orgId);
  }

  /** Returns the organisation's facts as of the call or later. Those of a load that was dropped meanwhile are not kept. */
  async get(orgId: string): Promise<T | NotKept> {
    const kept = this.#kept.get(orgId);
    if (kept === undefined) return this.#loadedAfterDrops(orgId);
    await this.#parts.catchUp(orgId, kept.facts);
    this.#weigh(orgId, kept);
    // The clock may have gone back.
    const age = Math.abs(this.#parts.clock.now() - kept.loadedAt);
    if (age >= kept.renewAfter && !this.#loading.has(orgId)) this.#renew(orgId);
    return kept.facts;
  }

  /** Waits for the end of a dropped load, which may have read before the change that was missed. */
  async #loadedAfterDrops(orgId: string): Promise<T | NotKept> {
    for (;;) {
      const loading = this.#loading.get(orgId);
      if (loading?.draft.isDropped !== true) return this.#load(orgId);
      await loading.result.catch(() => undefined);
    }
  }

  #load(orgId: string): Promise<T | NotKept> {
    const existing = this.#loading.get(orgId);
    if (existing !== undefined) return existing.result;
    if (this.#loading.size >= this.#parts.loadsAtOnce) return Promise.resolve('BUSY');
    const draft = { facts: this.#parts.begin(), isDropped: false };
    const result = this.#read(orgId, draft).finally(() => this.#loading.delete(orgId));
    this.#loading.set(orgId, { draft, result });
    return result;
  }

  async #read(orgId: string, draft: Draft<T>): Promise<T | NotKept> {
    const { clock, load, catchUp, compare, sizeOf, renewAfterMs } = this.#parts;
    const { facts } = draft;
    const loadedAt = clock.now();
    if (!(await load(orgId, facts))) {
      this.#kept.delete(orgId);
      return 'TOO_LARGE';
    }
    await catchUp(orgId, facts);
    if (draft.isDropped) return facts;
    const before = this.#kept.peek(orgId);
    if (before !== undefined) compare?.(orgId, before.facts, facts);
    const renewAfter = renewAfterMs(clock.now() - loadedAt);
    this.#kept.set(orgId, { facts, loadedAt, renewAfter, size: sizeOf(facts) });
    return facts;
  }

  #renew(orgId: string): void {
    this.#load(orgId).catch((error: unknown) =>
      this.#parts.log.warn(
        { err: error, orgId },
        'facts of an organization could not be read anew; the next read tries again',
      ),
    );
  }

  #weigh(orgId: string, kept: Kept<T>): void {
    const size = this.#parts.sizeOf(kept.facts);
    if (size === kept.size || this.#kept.peek(orgId) !== kept) return;
    kept.size = size;
    this.#kept.delete(orgId);
    this.#kept.set(orgId, kept);
  }
}
