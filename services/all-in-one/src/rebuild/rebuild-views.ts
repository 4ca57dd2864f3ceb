/** Rebuilds views beside the live ones, then replaces the live ones (docs/decisions/015). */
import {
  PortError,
  retryTransient,
  systemTimers,
  type CollectionSpec,
  type CollectionWrite,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import {
  applyOps,
  LOG_START,
  replayViews,
  VIEW_COLLECTIONS,
  VIEW_TOPICS,
  VIEWS,
  viewSourceEnds,
  type LogEnds,
  type ViewName,
  type ViewOp,
  type ViewWriter,
} from '@sentinel-node/query';
import { ALIVE_MS, endsOf, marksOf, REBUILDS_COLLECTION, takeView, type Hold } from './mark.ts';
import { putInPlace } from './put-in-place.ts';

/** Most records of a round after which the replacement counts as near the end of the log. */
const NEAR_RECORDS = 500;
/** Rounds after which the replacement is put in place even when the log has grown further. */
const MAX_ROUNDS = 20;

export interface RebuildDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly writeLine: (line: string) => void;
  /** Aborts the filling, but not a started switch. */
  readonly signal?: AbortSignal;
  /** For tests: called before the replacement takes the view's place, and afterwards. */
  readonly onStep?: (step: 'filled' | 'switched', view: ViewName) => Promise<void>;
}

interface Filled {
  readonly view: ViewName;
  readonly hold: Hold;
  readonly replacement: string;
}

/**
 * Rebuilds views from the log while readers and the projector continue. The log is read once for all views.
 * @throws RebuildUnderWayError, TakenOverError
 */
export async function rebuildInPlace(deps: RebuildDeps, names: readonly ViewName[]): Promise<void> {
  const { store, writeLine } = deps;
  const specs = VIEW_COLLECTIONS.filter(({ name }) => names.includes(name));
  await store.ensure([REBUILDS_COLLECTION, ...specs]);
  const views: Filled[] = [];
  try {
    for (const spec of specs) views.push(await begin(deps, spec, spec.name));
    const ends = await fill(deps, views);
    for (const [index, view] of views.entries()) {
      deps.signal?.throwIfAborted();
      for (const { hold } of views.slice(index)) await hold.keepAlive();
      await switchOver(deps, view, ends);
      writeLine(`${view.view}: rebuilt`);
    }
  } catch (error) {
    await giveUp(store, views);
    throw error;
  }
}

/** Completes or drops the remains of an earlier rebuild, then makes the empty replacement. */
async function begin(deps: RebuildDeps, spec: CollectionSpec, view: ViewName): Promise<Filled> {
  const { store } = deps;
  const { hold, left } = await takeView(store, view);
  if (left !== undefined && left.replacement !== null) {
    // Drop the old replacement, so that a process that still fills it fails.
    await store.drop([left.replacement]);
    if (left.switchedAt !== null) await catchUp(deps, view, endsOf(left.switchedAt));
  }
  const replacement = await store.makeReplacement(spec);
  await hold.set({ replacement, switchedAt: null });
  return { view, hold, replacement };
}

/**
 * Reads the log until the replacements are near its end.
 * @returns the ends: all records before are in the replacements
 */
async function fill(
  { eventLog, store, writeLine, signal }: RebuildDeps,
  views: readonly Filled[],
): Promise<LogEnds> {
  const names = new Map(views.map(({ view, replacement }) => [view, replacement]));
  const topics = topicsOf([...names.keys()]);
  let from = LOG_START;
  for (let round = 1; ; round += 1) {
    const to = await viewSourceEnds(eventLog, topics);
    let records = 0;
    for (const [topic, ends] of to)
      for (const [partition, end] of ends) records += end - (from.get(topic)?.get(partition) ?? 0);
    writeLine(`reading ${records} records`);
    await whileAlive(views, (check) =>
      replayViews(
        eventLog,
        from,
        to,
        async (ops) => {
          signal?.throwIfAborted();
          check();
          await write(store, ops, names);
        },
        (error) => writeLine(`${error.message} and is passed over`),
      ),
    );
    from = to;
    if (records <= NEAR_RECORDS || round === MAX_ROUNDS) return from;
  }
}

/**
 * Keeps the holds alive during `work`, even while a broker throttles its reads for longer than a hold lasts. `work` must
 * call `check` before each write. @throws TakenOverError
 */
async function whileAlive(
  views: readonly Filled[],
  work: (check: () => void) => Promise<void>,
): Promise<void> {
  let fault: { readonly error: unknown } | undefined;
  const check = () => {
    if (fault !== undefined) throw fault.error;
  };
  const beat = systemTimers.every(ALIVE_MS, async () => {
    for (const { hold } of views) await hold.keepAlive();
  });
  beat.failed.catch((error: unknown) => (fault = { error }));
  try {
    await work(check);
  } finally {
    await beat.stop();
  }
  check();
}

/**
 * Switches to the replacement. Until then the projector wrote to the old collection, but only from records in the log
 * by that time: these are read again, into the new collection.
 */
async function switchOver(deps: RebuildDeps, filled: Filled, ends: LogEnds): Promise<void> {
  const { view, hold, replacement } = filled;
  await deps.onStep?.('filled', view);
  if (view === VIEWS.deviceFirstContacts) await keepFirstContacts(deps, filled);
  await hold.set({ switchedAt: marksOf(ends) });
  await putInPlace(deps.store, view, replacement);
  await deps.onStep?.('switched', view);
  await catchUp(deps, view, ends);
  await hold.release();
}

/**
 * Keeps the live view's times of first contacts that are earlier than those of the log, which has only the newest heartbeat of a
 * device. Keeps nothing else of it, and no document that no record of the log gives.
 */
async function keepFirstContacts(
  { store, writeLine }: Pick<RebuildDeps, 'store' | 'writeLine'>,
  { view, hold, replacement }: Filled,
): Promise<void> {
  const names = new Map([[view, replacement]]);
  for await (const page of store.scan(replacement)) {
    await hold.keepAlive();
    const given = new Map(page.map((contact) => [contact.id, contact]));
    const live = await readable({ store, writeLine }, view, [...given.keys()]);
    const documents = live.flatMap(({ id, rev }) =>
      Number.isSafeInteger(rev) ? [{ ...given.get(id)!, id, rev: rev! }] : [],
    );
    await write(store, [{ collection: view, mode: 'upsert', documents }], names);
  }
}

/** Returns the documents that can be read: a rebuild puts others in the place of those that somebody broke. */
async function readable(
  { store, writeLine }: Pick<RebuildDeps, 'store' | 'writeLine'>,
  view: string,
  ids: readonly string[],
): Promise<Document[]> {
  try {
    return await store.getMany(view, ids);
  } catch (error) {
    if (!(error instanceof PortError) || error.code !== 'DOCUMENT_UNREADABLE') throw error;
    if (ids.length > 1) {
      const found: Document[] = [];
      for (const id of ids) found.push(...(await readable({ store, writeLine }, view, [id])));
      return found;
    }
    writeLine(`${error.message}: made anew, as far as the log says`);
    return [];
  }
}

async function catchUp({ eventLog, store }: RebuildDeps, view: ViewName, from: LogEnds): Promise<void> {
  const to = await viewSourceEnds(eventLog, VIEW_TOPICS[view]);
  const names = new Map([[view, view]]);
  await replayViews(eventLog, from, to, (ops) => write(store, ops, names));
}

/** Writes the operations on these views. Repeating the writes changes nothing, because they are guarded. */
async function write(
  store: DocumentStore,
  ops: readonly ViewOp[],
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const wanted = ops.filter(({ collection }) => names.has(collection));
  const nameOf = (view: string) => names.get(view)!;
  const renamed = (write: CollectionWrite) => ({ ...write, collection: nameOf(write.collection) });
  const writer: ViewWriter = {
    writeBatches: (batches) => store.writeBatches(batches.map((batch) => batch.map(renamed))),
  };
  await retryTransient(
    systemTimers,
    () => false,
    () => applyOps(writer, wanted),
  );
}

export const topicsOf = (views: readonly ViewName[]): ReadonlySet<string> =>
  new Set(views.flatMap((view) => VIEW_TOPICS[view]));

/**
 * Drops the replacements that are not in place; a view with a started switch keeps its mark for a later repair.
 */
async function giveUp(store: DocumentStore, views: readonly Filled[]): Promise<void> {
  for (const { view, hold, replacement } of views) {
    const mark = await store.get(REBUILDS_COLLECTION.name, view);
    if (mark === undefined || mark.replacement !== replacement || mark.switchedAt !== null) continue;
    await store.drop([replacement]);
    await hold.release();
  }
}
