import { Readable } from 'node:stream';
import { BOM, csvLine, type Cell } from './csv.ts';

/** A whole range in pages, newest first. */
export interface Export<T> {
  /** Member of the JSON object that holds the list. */
  readonly name: string;
  readonly header: readonly string[];
  readonly cells: (item: T) => readonly Cell[];
  readonly pages: AsyncIterable<readonly T[]>;
}

export async function* csvText<T>({ header, cells, pages }: Export<T>): AsyncGenerator<string> {
  yield BOM + csvLine(header);
  for await (const page of pages) yield page.map((item) => csvLine(cells(item))).join('');
}

/** The list's JSON as one page would have it. */
export async function* jsonText<T>({ name, pages }: Export<T>): AsyncGenerator<string> {
  let separator = '';
  yield `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => JSON.stringify(item)).join(',');
    separator = ',';
  }
  yield '],"lastId":null}';
}

/** Every page of a list; the first is read at once, so that a refusal comes before the answer has begun. */
export async function allPages<T>(
  read: (lastId: string | undefined) => Promise<{ items: readonly T[]; lastId: string | null }>,
): Promise<AsyncIterable<readonly T[]>> {
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

/** Text as it is taken: the next page is read when the client has room for it, none when it is gone. */
export const textStream = (text: AsyncIterable<string>): Readable =>
  Readable.from(text, { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
