/**
 * Limits what an organisation has of a kind. Each of it has its own stream, so no commit sees their number. A command that adds one first
 * records it as pending: one document of organisation and kind lists what is pending, changed under its expected version. What is pending
 * and what is present together count against the limit.
 */
import {
  ApiError,
  ConflictError,
  loadStream,
  type Clock,
  type CollectionName,
  collectionOf,
  isTransient,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';
import { isInGrace } from './reservations.ts';
import { Turns } from './turns.ts';

/** The collection keeps the name under which it was first stored: it had devices only. */
export const QUOTAS_COLLECTION = {
  name: collectionOf<PendingPlaces>('device_seats'),
  indexes: [],
} as const;

/** Of a commit that was not made. */
const REFUSALS: ReadonlySet<string> = new Set([
  'VALIDATION_FAILED',
  'CONFLICT',
  'NOT_FOUND',
  'LIMIT_REACHED',
]);

/** The most attempts against other processes; calls in this process take turns. */
const ATTEMPTS = 8;

interface PendingPlace {
  /** Id of what takes the place. */
  readonly id: string;
  /** When the place was taken, in milliseconds since the Unix epoch. */
  readonly at: number;
}

interface PendingPlaces {
  /** Id of the organisation, behind the kind and `:` for all but devices. */
  readonly id: string;
  readonly rev: number;
  readonly taken: readonly PendingPlace[];
}

/** The limited kind of document. */
export interface QuotaKind {
  /** Absent for devices. */
  readonly kind?: string;
  readonly limit: number;
  /** Text for people when the limit is reached. */
  readonly refusal: string;
  /** The view that shows it after its commit. */
  readonly view: CollectionName<{ readonly id: string }>;
  readonly streamOf: (id: string) => string;
  /** Returns how many of the organisation count against the limit and are readable. @param now milliseconds since the Unix epoch */
  readonly present: (store: DocumentStore, orgId: string, now: number) => Promise<number>;
}

const documentOf = ({ kind }: QuotaKind, orgId: string): string =>
  kind === undefined ? orgId : `${kind}:${orgId}`;

/** @boundedBy the commands that are under way */
export class Quotas {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  /** Turns by document. */
  readonly #turns = new Turns();

  constructor({ store, clock }: { readonly store: DocumentStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Call before the commit, which must follow within `RESERVATION_GRACE_MS`. Called again, it renews that time.
   * @param id of what is added
   * @throws ApiError LIMIT_REACHED, also when what others are adding would reach the limit
   * @throws ConflictError when other processes win every attempt
   */
  async take(of: QuotaKind, orgId: string, id: string): Promise<void> {
    const document = documentOf(of, orgId);
    await this.#turns.take(document, () => this.#take(of, document, orgId, id));
  }

  /**
   * Takes a place for what `work` commits. A refusal of the commit gives the place back, so that calls with wrong contents use up none.
   * @throws as `take` and `work`
   */
  async add<T>(of: QuotaKind, orgId: string, id: string, work: () => Promise<T>): Promise<T> {
    await this.take(of, orgId, id);
    try {
      return await work();
    } catch (error) {
      // Other errors do not say that nothing was committed.
      if (error instanceof ApiError && REFUSALS.has(error.code)) await this.#giveBack(of, orgId, id);
      throw error;
    }
  }

  /** Without success the place ends with its time: the refusal counts, not what became of the place. */
  async #giveBack(of: QuotaKind, orgId: string, id: string): Promise<void> {
    const document = documentOf(of, orgId);
    try {
      await this.#turns.take(document, async () => {
        const found = await this.#store.get(QUOTAS_COLLECTION.name, document);
        if (found === undefined) return;
        const taken = found.taken.filter((place) => place.id !== id);
        await this.#write({ ...found, rev: found.rev + 1, taken }, found);
      });
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }

  async #take(of: QuotaKind, document: string, orgId: string, id: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.#store.get(QUOTAS_COLLECTION.name, document);
      const others = (found?.taken ?? []).filter((place) => place.id !== id);
      const waiting = await this.#withRoom(of, orgId, others);
      const taken = [...waiting, { id, at: this.#clock.now() }];
      if (await this.#write({ id: document, rev: (found?.rev ?? 0) + 1, taken }, found)) return;
    }
    throw new ConflictError('too many are being added at once');
  }

  /** Returns which of the places are pending still. @throws ApiError LIMIT_REACHED when there is no room beside them */
  async #withRoom(of: QuotaKind, orgId: string, places: readonly PendingPlace[]): Promise<PendingPlace[]> {
    for (let pending = places; ;) {
      // Pending places first, then the count: what appears in between is counted twice, never missed.
      const waiting = await this.#unreadable(of, pending);
      const present = await of.present(this.#store, orgId, this.#clock.now());
      if (present + waiting.length < of.limit) return waiting;
      pending = await this.#unreadable(of, waiting);
      if (pending.length === waiting.length) throw new ApiError('LIMIT_REACHED', { detail: of.refusal });
    }
  }

  /** Returns the pending places without those that reads show by now, and those whose time to commit has passed. */
  async #unreadable(of: QuotaKind, pending: readonly PendingPlace[]): Promise<PendingPlace[]> {
    if (pending.length === 0) return [];
    const found = await this.#store.getMany(
      of.view,
      pending.map(({ id }) => id),
    );
    const readable = new Set(found.map(({ id }) => id));
    const rest = pending.filter(({ id }) => !readable.has(id));
    const real = await Promise.all(rest.map((place) => this.#isReal(of, place)));
    return rest.filter((_, index) => real[index]);
  }

  async #isReal({ streamOf }: QuotaKind, { id, at }: PendingPlace): Promise<boolean> {
    if (await isInGrace(this.#store, at, this.#clock.now())) return true;
    return (await loadStream(this.#store, streamOf(id))) !== undefined;
  }

  #write(pending: PendingPlaces, found: PendingPlaces | undefined): Promise<boolean> {
    return saveIfCurrent(this.#store, QUOTAS_COLLECTION.name, pending, found?.rev);
  }
}
