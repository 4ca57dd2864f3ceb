import { isDeepStrictEqual } from 'node:util';
import { GROUPS } from '@sentinel-node/contracts';
import { VIEWS } from '@sentinel-node/query';
import {
  systemTimers,
  type CollectionSpec,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { differingFields } from './differing-fields.ts';
import type { Findings } from './finding.ts';
import type { ScratchViews } from './scratch-views.ts';
import { AGAIN_MS, waitForGroup, type Patience } from './wait-past.ts';

/** Documents that differ at the first comparison and are compared again together. */
const AGAIN_DOCUMENTS = 200;

export interface CompareDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly scratch: ScratchViews;
  readonly patience: Patience;
  readonly findings: Findings;
}

/**
 * Compares the live views with the rebuilt ones document by document, both in the order of ids, while either may
 * change. Differing documents are compared again when the live system has passed the positions of the rebuilt views.
 * @returns the number of compared documents
 */
export async function compareViews(
  deps: CompareDeps,
  collections: readonly CollectionSpec[],
): Promise<number> {
  let compared = 0;
  for (const { name } of collections) {
    deps.patience.writeLine(`comparing ${name}`);
    let differing: string[] = [];
    for await (const [id, live, rebuilt] of pairs(deps.store, deps.scratch.store, name)) {
      compared += 1;
      if (isDeepStrictEqual(live, rebuilt)) continue;
      differing.push(id);
      if (differing.length < AGAIN_DOCUMENTS) continue;
      await lookAgain(deps, name, differing);
      differing = [];
    }
    await lookAgain(deps, name, differing);
  }
  return compared;
}

type Pair = readonly [id: string, live: Document | undefined, rebuilt: Document | undefined];

async function* pairs(live: DocumentStore, rebuilt: DocumentStore, collection: string): AsyncGenerator<Pair> {
  const left = documents(live, collection);
  const right = documents(rebuilt, collection);
  let a = await left.next();
  let b = await right.next();
  while (a.done !== true || b.done !== true) {
    const order = a.done === true ? 1 : b.done === true ? -1 : compareIds(a.value.id, b.value.id);
    const pair = [order <= 0 ? a.value : undefined, order >= 0 ? b.value : undefined] as const;
    yield [(pair[0] ?? pair[1])!.id, ...pair];
    if (order <= 0) a = await left.next();
    if (order >= 0) b = await right.next();
  }
}

async function* documents(store: DocumentStore, collection: string): AsyncGenerator<Document, undefined> {
  for await (const page of store.scan(collection)) yield* page;
  return undefined;
}

/** Compares ids as stores order them: by code point, not by locale. */
const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function lookAgain(deps: CompareDeps, collection: string, ids: readonly string[]): Promise<void> {
  const { patience, findings } = deps;
  let left = ids;
  for (let look = 1; left.length > 0; look++) {
    const unexplained = await unexplainedOf(deps, collection, left);
    if (look < patience.looks) await systemTimers.delay(unexplained.length > 0 ? AGAIN_MS : 0);
    else
      for (const [id, live, rebuilt] of unexplained) addDifference(collection, id, live, rebuilt, findings);
    left = look < patience.looks ? unexplained.map(([id]) => id) : [];
  }
}

/**
 * Returns the documents that the log does not explain. The live system has passed all records of the rebuilt views,
 * so a live document equals the rebuilt one or is newer; a newer one comes from a record between the rebuilt
 * positions and the end of the log.
 */
async function unexplainedOf(deps: CompareDeps, collection: string, ids: readonly string[]): Promise<Pair[]> {
  const { eventLog, store, scratch, patience } = deps;
  await waitForGroup(eventLog, GROUPS.projector, scratch.ends, patience);
  const live = byId(await store.getMany(collection, ids));
  const rebuilt = byId(await scratch.store.getMany(collection, ids));
  const differing = ids
    .map((id): Pair => [id, live.get(id), rebuilt.get(id)])
    .filter(([, a, b]) => !isDeepStrictEqual(a, b) && !isFromBeforeLog(collection, a, b));
  const newer = differing.flatMap(([, a, b]) => (a !== undefined && isNewer(a, b) ? [a] : []));
  if (newer.length === 0) return differing;
  const given = await scratch.extend(collection, newer);
  return differing.filter(([id]) => !given.has(id));
}

/**
 * Returns whether the live document is the first contact of a device and has an earlier time than the log (a higher `rev`):
 * the log keeps only the newest heartbeat of a device, so the first one may be gone. A later time than the
 * log's is a difference.
 */
const isFromBeforeLog = (
  collection: string,
  live: Document | undefined,
  rebuilt: Document | undefined,
): boolean =>
  collection === VIEWS.deviceFirstContacts &&
  live !== undefined &&
  isNewer(live, rebuilt) &&
  isDeepStrictEqual({ ...live, rev: rebuilt?.rev }, rebuilt);

const byId = (found: readonly Document[]) => new Map(found.map((document) => [document.id, document]));

function isNewer(live: Document, rebuilt: Document | undefined): boolean {
  return rebuilt === undefined || (live.rev ?? 0) > (rebuilt.rev ?? 0);
}

function addDifference(
  collection: string,
  id: string,
  live: Document | undefined,
  rebuilt: Document | undefined,
  findings: Findings,
): void {
  if (rebuilt === undefined) findings.add('views', `${collection} ${id}: no record of the log gives it`);
  else if (live === undefined) findings.add('views', `${collection} ${id}: missing, the log gives it`);
  else {
    const differing = differingFields(live, rebuilt);
    findings.add('views', `${collection} ${id}: ${differing} differ from what the log gives`);
  }
}
