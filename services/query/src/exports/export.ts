import { Readable } from 'node:stream';
import { CSV_BOM, type CsvCell, csvLine } from '@sentinel-node/contracts';
import type { DrainWatch } from './drain-watch.ts';

/** A whole range of a list, in pages, newest first. */
export interface Export<T> {
  /** Member of the JSON object that holds the list. */
  readonly name: string;
  readonly header: readonly string[];
  readonly cells: (item: T) => readonly CsvCell[];
  /** Each item is made when it is taken, so that memory holds only the documents of a page. */
  readonly pages: AsyncIterable<Iterable<T>>;
}

/**
 * Items in one page of an export. A page stays in memory until the client took its text: smaller pages cost processor
 * time, larger ones memory (measured from 100 to 500).
 */
export const EXPORT_PAGE_ITEMS = 100;

export async function* csvText<T>({ header, cells, pages }: Export<T>): AsyncGenerator<string> {
  yield CSV_BOM + csvLine(header);
  for await (const page of pages) {
    let text = '';
    for (const item of page) text += csvLine(cells(item));
    if (text !== '') yield text;
  }
}

/** Yields the list's JSON in the form of a single page. */
export async function* jsonText<T>({ name, pages }: Export<T>): AsyncGenerator<string> {
  let separator = '';
  yield `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    let text = '';
    for (const item of page) {
      text += separator + JSON.stringify(item);
      separator = ',';
    }
    if (text !== '') yield text;
  }
  yield '],"lastId":null}';
}

/**
 * Reads every page of a list. The first page is read before the function returns, so that a refusal comes before the
 * answer begins.
 */
export async function allPages<T>(
  read: (lastId: string | undefined) => Promise<{ items: Iterable<T>; lastId: string | null }>,
): Promise<AsyncIterable<Iterable<T>>> {
  const first = await read(undefined);
  return (async function* () {
    yield first.items;
    for (let { lastId } = first; lastId !== null;) {
      const page = await read(lastId);
      yield page.items;
      ({ lastId } = page);
    }
  })();
}

/** The most text that is prepared ahead of the client, in bytes, besides one page of the store. */
const READ_AHEAD_BYTES = 65_536;
/** Characters of one piece; small pieces show how fast the client reads a large page. */
const PIECE_CHARACTERS = 16_384;

/**
 * Streams text at the client's pace: reads the next page only when the client has room, and stops when the client is
 * gone.
 */
export const textStream = (text: AsyncIterable<string>, watch: DrainWatch): Readable =>
  Readable.from(pieces(text, watch), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });

async function* pieces(text: AsyncIterable<string>, watch: DrainWatch): AsyncGenerator<Buffer> {
  for await (const page of text)
    for (let at = 0; at < page.length;) {
      const end = pieceEnd(page, at + PIECE_CHARACTERS);
      const piece = Buffer.from(page.slice(at, end));
      at = end;
      watch.offered(performance.now());
      yield piece;
      watch.taken(piece.length, performance.now());
    }
}

/** Never splits a surrogate pair. */
function pieceEnd(page: string, at: number): number {
  const code = page.charCodeAt(at - 1);
  return at < page.length && code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
