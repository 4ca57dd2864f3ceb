/** What says that a view is being rebuilt, so that two do not do it at once and a half-done switch is seen. */
import { collectionOf, ConflictError, PortError, type DocumentStore } from '@sentinel-node/platform';
import type { LogEnds, ViewName } from '@sentinel-node/query';

/** id: the view. There while it is rebuilt, and after a rebuild that ended without a word. */
export const REBUILDS_COLLECTION = { name: collectionOf<Mark>('rebuilds'), indexes: [] } as const;

/** A rebuild says at least so often that it is alive, in milliseconds. */
export const ALIVE_MS = 5_000;
/** One that was not heard of for so long has ended, in milliseconds. */
const DEAD_MS = 60_000;

export interface Mark {
  readonly id: ViewName;
  readonly rev: number;
  /** The collection that is filled; null before there is one. */
  readonly replacement: string | null;
  /** Everything before is in the replacement, which may have taken the view's place; null while it is filled. */
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

/** Another process took this rebuild for dead and began anew. */
export class TakenOverError extends PortError {
  constructor(view: string) {
    super('TAKEN_OVER', `another process has begun to rebuild ${view}`);
  }
}

/** One rebuild's hold on a view. */
export class Hold {
  readonly #store: DocumentStore;
  #mark: Mark;

  constructor(store: DocumentStore, mark: Mark) {
    this.#store = store;
    this.#mark = mark;
  }

  /** @throws TakenOverError */
  async set(change: Partial<Pick<Mark, 'replacement' | 'switchedAt'>>): Promise<void> {
    const next: Mark = { ...this.#mark, ...change, rev: this.#mark.rev + 1, aliveAt: Date.now() };
    try {
      await this.#store.update(REBUILDS_COLLECTION.name, next, this.#mark.rev);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      throw new TakenOverError(this.#mark.id);
    }
    this.#mark = next;
  }

  /** Called often; writes seldom. @throws TakenOverError */
  async keepAlive(): Promise<void> {
    if (Date.now() - this.#mark.aliveAt >= ALIVE_MS) await this.set({});
  }

  async release(): Promise<void> {
    await this.#store.remove(REBUILDS_COLLECTION.name, [this.#mark.id]);
  }
}

/**
 * Takes a view to rebuild it. @returns the hold, and the mark of an earlier rebuild that ended without a word
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

/** Views whose rebuild is under way or ended without a word. */
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
