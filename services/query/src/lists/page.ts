/** Pages of the list of an organisation, a device or a file, newest first, by id (later ids sort later). */
import { isRealTime, LIMITS } from '@sentinel-node/contracts';
import {
  ApiError,
  type CollectionName,
  type DocumentStore,
  type Query,
  type Stored,
} from '@sentinel-node/platform';

export interface PageQuery {
  /** The last id of the client's previous page. */
  readonly lastId?: string;
  readonly limit?: number;
  /** ISO 8601, both inclusive. */
  readonly timestampFrom?: string;
  readonly timestampTo?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** null at the end of the list. */
  readonly lastId: string | null;
}

/** The most documents that one page of a search reads; then the page ends early with the id to continue from. */
export const SEARCHED_DOCUMENTS = 5_000;
const SEARCH_STEP_DOCUMENTS = 500;
/** Devices that a list asks an index for at once. */
export const DEVICES_ASKED_FOR = 100;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;

/** Returns the prefix of every id of the time `ms` (contracts, `eventId`). */
export function idPrefixOf(ms: number): string {
  let rest = ms;
  let digits = '';
  for (let at = 0; at < TIME_DIGITS; at++) {
    digits = CROCKFORD.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}

/** Bounds of ids: from `gte`, below `lt`. */
export interface IdBounds {
  readonly gte?: string;
  readonly lt?: string;
}

/** Returns the id bounds of the page's range; undefined without a range. @throws ApiError VALIDATION_FAILED */
export function idRange({ lastId, timestampFrom, timestampTo }: PageQuery): IdBounds | undefined {
  const from = timestampFrom === undefined ? undefined : idPrefixOf(timeOf('timestampFrom', timestampFrom));
  const to = timestampTo === undefined ? undefined : idPrefixOf(timeOf('timestampTo', timestampTo) + 1);
  const below = [lastId, to].filter((bound) => bound !== undefined).sort()[0];
  if (from === undefined && below === undefined) return undefined;
  return { ...(from === undefined ? {} : { gte: from }), ...(below === undefined ? {} : { lt: below }) };
}

function timeOf(name: string, text: string): number {
  if (isRealTime(text)) return Date.parse(text);
  throw new ApiError('VALIDATION_FAILED', 'the query is not valid', [
    { path: `/${name}`, message: 'is no date' },
  ]);
}

export interface PageSource<T extends Stored> {
  readonly store: DocumentStore;
  readonly collection: CollectionName<T>;
  readonly where: NonNullable<Query['where']>;
  /** Of what `where` finds, only what is of these devices: at most `LIMITS.serviceTokenReach`. Absent: all. */
  readonly within?: ReadonlySet<string>;
  /** Ids of what the list has, newest first; absent: the store is asked by `where`. */
  readonly ids?: (bounds: IdBounds, limit: number) => readonly string[];
  /** Filters the documents of the list. When absent, all match. */
  readonly match?: (documents: readonly T[]) => Promise<readonly T[]>;
}

export async function readPage<T extends { readonly id: string }>(
  source: PageSource<T>,
  query: PageQuery,
): Promise<Page<T>> {
  const limit = query.limit ?? LIMITS.pageItemsDefault;
  if (source.match !== undefined) return searchPage(source, source.match, query, limit);
  const found = await findBelow(source, query, limit + 1);
  const items = found.slice(0, limit);
  return { items, lastId: found.length > limit ? items.at(-1)!.id : null };
}

function findBelow<T extends Stored>(source: PageSource<T>, query: PageQuery, limit: number): Promise<T[]> {
  const id = idRange(query);
  if (source.ids !== undefined) return source.store.getMany(source.collection, source.ids(id ?? {}, limit));
  const find = (where: PageSource<T>['where']): Promise<T[]> =>
    source.store.find(source.collection, {
      where: { ...where, ...(id === undefined ? {} : { id: { ...id } }) },
      sort: { field: 'id', direction: 'desc' },
      limit,
    });
  return source.within === undefined
    ? find(source.where)
    : findWithin(find, source.where, [...source.within], limit);
}

/** Newest first, of some devices: so many at a time that an index gives the order. */
async function findWithin<T extends Stored>(
  find: (where: PageSource<T>['where']) => Promise<T[]>,
  where: PageSource<T>['where'],
  devices: readonly string[],
  limit: number,
): Promise<T[]> {
  let newest: T[] = [];
  for (let at = 0; at < devices.length; at += DEVICES_ASKED_FOR) {
    const found = await find({ ...where, deviceId: { in: devices.slice(at, at + DEVICES_ASKED_FOR) } });
    newest = [...newest, ...found].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  }
  return newest;
}

async function searchPage<T extends { readonly id: string }>(
  source: PageSource<T>,
  match: NonNullable<PageSource<T>['match']>,
  query: PageQuery,
  limit: number,
): Promise<Page<T>> {
  const items: T[] = [];
  let from = query;
  for (let looked = 0; looked < SEARCHED_DOCUMENTS; looked += SEARCH_STEP_DOCUMENTS) {
    const found = await findBelow(source, from, SEARCH_STEP_DOCUMENTS);
    for (const document of await match(found)) {
      // One more match than the limit shows that there is a next page.
      if (items.length === limit) return { items, lastId: items.at(-1)!.id };
      items.push(document);
    }
    if (found.length < SEARCH_STEP_DOCUMENTS) return { items, lastId: null };
    from = { ...query, lastId: found.at(-1)!.id };
  }
  return { items, lastId: from.lastId ?? null };
}
