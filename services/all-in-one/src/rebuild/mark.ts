/**
 * Marks views that are being rebuilt, so that two processes do not rebuild one view at the same time, and a later run
 * finds an unfinished switch.
 */
import { collectionOf, saveIfCurrent, PortError, type DocumentStore } from '@sentinel-node/platform';
import type { LogEnds, ViewName } from '@sentinel-node/query';

/** Marks by view. A mark exists during a rebuild, and after a rebuild that ended abnormally. */
export const REBUILDS_COLLECTION = { name: collectionOf<Mark>('rebuilds'), indexes: [] } as const;

/** Longest time between two updates of a running rebuild's mark, in ms. */
export const ALIVE_MS = 5_000;
/** Age of a mark above which its rebuild counts as ended, in ms. */
const DEAD_MS = 60_000;

export interface Mark {
  readonly id: ViewName;
  readonly rev: number;
  /** Name of the collection being filled; null before it exists. */
  readonly replacement: string | null;
  /**
   * Ends up to which the replacement has all records, set before the switch; null while the replacement is being
   * filled.
   */
  readonly switchedAt: Readonly<
    Record<string, readonly (readonly [partition: number, end: number])[]>
  > | null;
  /** Milliseconds since the Unix epoch. */
  readonly aliveAt: number;
}

export class RebuildUnderWayError extends PortError {
  constructor(view: string, secondsAgo: number) {
    super(
      'REBUILD_UNDER_WAY',
      `${view} is being rebuilt (last heard of ${secondsAgo} s ago); a rebuild that has ended can be repeated ${DEAD_MS / 1_000} s after it was last heard of`,
    );
  }
}

/** Another process considered this rebuild ended and began again. */
export class TakenOverError extends PortError {
  constructor(view: string) {
    super(
      'TAKEN_OVER',
      `another process has begun to rebuild ${view}; let it finish, or repeat this rebuild when it has ended`,
    );
  }
}

/** The exclusive right of one rebuild to a view. */
export class Hold {
  readonly #store: DocumentStore;
  #mark: Mark;

  constructor(store: DocumentStore, mark: Mark) {
    this.#store = store;
    this.#mark = mark;
  }

  /** Updates the mark. @throws TakenOverError */
  async set(change: Partial<Pick<Mark, 'replacement' | 'switchedAt'>>): Promise<void> {
    const next: Mark = { ...this.#mark, ...change, rev: this.#mark.rev + 1, aliveAt: Date.now() };
    const isOwn = await saveIfCurrent(this.#store, REBUILDS_COLLECTION.name, next, this.#mark.rev);
    if (!isOwn) throw new TakenOverError(this.#mark.id);
    this.#mark = next;
  }

  /** Refreshes the mark, at most once in `ALIVE_MS`. @throws TakenOverError */
  async keepAlive(): Promise<void> {
    if (Date.now() - this.#mark.aliveAt >= ALIVE_MS) await this.set({});
  }

  async release(): Promise<void> {
    await this.#store.remove(REBUILDS_COLLECTION.name, [this.#mark.id]);
  }
}

/**
 * Takes a view for a rebuild. @returns the hold, and the mark of an earlier rebuild that ended abnormally
 * @throws RebuildUnderWayError
 */
export async function takeView(
  store: DocumentStore,
  view: ViewName,
): Promise<{ readonly hold: Hold; readonly left: Mark | undefined }> {
  const now = Date.now();
  const mark: Mark = { id: view, rev: 1, replacement: null, switchedAt: null, aliveAt: now };
  const [inserted] = await store.insertMissing(REBUILDS_COLLECTION.name, [mark]);
  if (inserted !== undefined) return { hold: new Hold(store, mark), left: undefined };
  const left = await store.get(REBUILDS_COLLECTION.name, view);
  const silentMs = now - (left?.aliveAt ?? now);
  if (left === undefined || silentMs < DEAD_MS)
    throw new RebuildUnderWayError(view, Math.max(0, Math.round(silentMs / 1_000)));
  const hold = new Hold(store, left);
  await hold.set({});
  return { hold, left };
}

/** Returns the marks of running rebuilds and of those that ended abnormally. */
export async function rebuildsLeft(store: DocumentStore): Promise<Mark[]> {
  await store.ensure([REBUILDS_COLLECTION]);
  return store.find(REBUILDS_COLLECTION.name, { limit: 100 });
}

export function marksOf(ends: LogEnds): NonNullable<Mark['switchedAt']> {
  return Object.fromEntries([...ends].map(([topic, partitions]) => [topic, [...partitions]]));
}

export function endsOf(marks: NonNullable<Mark['switchedAt']>): LogEnds {
  return new Map(Object.entries(marks).map(([topic, partitions]) => [topic, new Map(partitions)]));
}
