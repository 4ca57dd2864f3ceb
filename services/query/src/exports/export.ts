import { Readable } from 'node:stream';
import { BOM, type Cell, csvLine } from './csv.ts';
import type { DrainWatch } from './drain-watch.ts';

/** A whole range in pages, newest first. */
export interface Export<T> {
  /** Member of the JSON object that holds the list. */
  readonly name: string;
  readonly header: readonly string[];
  readonly cells: (item: T) => readonly Cell[];
  /** Each item is made when it is taken, so that only those are held which the store gave. */
  readonly pages: AsyncIterable<Iterable<T>>;
}

/**
 * Items of one page of an export. A page is held while its text is made and taken; smaller ones cost processor time,
 * larger ones more memory (measured: 100 to 500).
 */
export const EXPORT_PAGE_ITEMS = 100;

export async function* csvText<T>({ header, cells, pages }: Export<T>): AsyncGenerator<string> {
  yield BOM + csvLine(header);
  for await (const page of pages) {
    let text = '';
    for (const item of page) text += csvLine(cells(item));
    if (text !== '') yield text;
  }
}

/** The list's JSON as one page would have it. */
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

/** Every page of a list; the first is read at once, so that a refusal comes before the answer has begun. */
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

/** What is read ahead of the client, in bytes; a page of the store comes on top. */
const READ_AHEAD_BYTES = 65_536;
/** Characters that are handed over at once, so that a large page shows how fast it is taken. */
const PIECE_CHARACTERS = 16_384;

/** Text as it is taken: the next page is read when the client has room for it, none when it is gone. */
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

/** Never between the two halves of a character. */
function pieceEnd(page: string, at: number): number {
  const code = page.charCodeAt(at - 1);
  return at < page.length && code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
