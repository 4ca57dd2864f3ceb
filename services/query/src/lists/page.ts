/** Pages of the list of an organisation, a device or a file, by id (later ids sort later); newest first unless asked. */
import { isRealTime, LIMITS, type ListOrder } from '@sentinel-node/contracts';
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
  /** The first in the order; absent: newest. */
  readonly order?: ListOrder;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** null at the end of the list. */
  readonly lastId: string | null;
}

/** The most documents that one page of a search reads; then the page ends early with the id to continue from. */
export const SEARCHED_DOCUMENTS = 5_000;
const SEARCH_STEP_DOCUMENTS = 500;
/** Devices that a list asks an index for at once, of which each is one read. */
const DEVICES_AT_ONCE = 16;

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

/** Bounds of ids: above `gt`, from `gte`, below `lt`. */
export interface IdBounds {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
}

/** Returns the id bounds of the page's range; undefined without a range. @throws ApiError VALIDATION_FAILED */
export function idRange({ lastId, timestampFrom, timestampTo, order }: PageQuery): IdBounds | undefined {
  const from = timestampFrom === undefined ? undefined : idPrefixOf(timeOf('timestampFrom', timestampFrom));
  const to = timestampTo === undefined ? undefined : idPrefixOf(timeOf('timestampTo', timestampTo) + 1);
  const isUp = order === 'oldest';
  const below = [isUp ? undefined : lastId, to].filter((bound) => bound !== undefined).sort()[0];
  const above = isUp && lastId !== undefined && lastId >= (from ?? '') ? lastId : undefined;
  if (from === undefined && above === undefined && below === undefined) return undefined;
  const start = above !== undefined ? { gt: above } : from !== undefined ? { gte: from } : {};
  return { ...start, ...(below === undefined ? {} : { lt: below }) };
}

function timeOf(name: string, text: string): number {
  if (isRealTime(text)) return Date.parse(text);
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'the query is not valid',
    errors: [{ path: `/${name}`, message: 'is no date' }],
  });
}

type Where = NonNullable<Query['where']>;

export interface PageSource<T extends Stored> {
  readonly store: DocumentStore;
  readonly collection: CollectionName<T>;
  readonly where: Where;
  /** Of what `where` finds, only what is of these devices: at most `LIMITS.serviceTokenReach`. Absent: all. */
  readonly within?: ReadonlySet<string>;
  /** Ids of what the list has, in the wanted order; absent: the store is asked by `where`. */
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
  const found = await findNext(source, query, limit + 1);
  const items = found.slice(0, limit);
  return { items, lastId: found.length > limit ? items.at(-1)!.id : null };
}

function findNext<T extends Stored>(source: PageSource<T>, query: PageQuery, limit: number): Promise<T[]> {
  const id = idRange(query);
  const direction = query.order === 'oldest' ? 'asc' : 'desc';
  if (source.ids !== undefined) return source.store.getMany(source.collection, source.ids(id ?? {}, limit));
  const find: Find<T> = (more, size) =>
    source.store.find(source.collection, {
      where: { ...source.where, ...(id === undefined ? {} : { id: { ...id } }), ...more(id ?? {}) },
      sort: { field: 'id', direction },
      limit: size,
    });
  return source.within === undefined
    ? find(() => ({}), limit)
    : findWithin(find, source.within, direction, limit);
}

type Find<T> = (more: (range: IdBounds) => Where, size: number) => Promise<T[]>;

/**
 * Returns the first documents of some devices. An index gives the order of one device only, so each device is asked for a
 * few of its documents, and for more while all that it gave are among the first.
 */
async function findWithin<T extends Stored>(
  find: Find<T>,
  within: ReadonlySet<string>,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<T[]> {
  const isBefore = (one: string, other: string): boolean => (direction === 'asc' ? one < other : one > other);
  let first: T[] = [];
  let open: OpenDevice[] = [...within].map((deviceId) => ({ deviceId, after: undefined }));
  for (let size = Math.ceil(limit / within.size); open.length > 0; size = Math.min(2 * size, limit)) {
    const given: (OpenDevice & { readonly after: string })[] = [];
    for (let at = 0; at < open.length; at += DEVICES_AT_ONCE) {
      const some = open.slice(at, at + DEVICES_AT_ONCE);
      const pages = await Promise.all(
        some.map((device) => find((range) => nextOf(device, range, direction), size)),
      );
      for (const [index, page] of pages.entries())
        if (page.length === size) given.push({ ...some[index]!, after: page.at(-1)!.id });
      const all = [...first, ...pages.flat()];
      first = all.sort((a, b) => (isBefore(a.id, b.id) ? -1 : 1)).slice(0, limit);
    }
    const last = first.length === limit ? first.at(-1)!.id : undefined;
    open = given.filter(({ after }) => last === undefined || isBefore(after, last));
  }
  return first;
}

interface OpenDevice {
  readonly deviceId: string;
  /** Id of the device's last document so far. */
  readonly after: string | undefined;
}

function nextOf({ deviceId, after }: OpenDevice, range: IdBounds, direction: 'asc' | 'desc'): Where {
  if (after === undefined) return { deviceId };
  const { lt, ...from } = range;
  if (direction === 'desc') return { deviceId, id: { ...from, lt: after } };
  return { deviceId, id: { gt: after, ...(lt !== undefined && { lt }) } };
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
    const found = await findNext(source, from, SEARCH_STEP_DOCUMENTS);
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
