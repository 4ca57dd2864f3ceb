import {
  BATCH_HEADER_BYTES,
  MAX_CHECKPOINT_LENGTH,
  TILE_WIDTH,
  tilePath,
  type ReadHashes,
  type Tile,
} from '@sentinel-node/contracts';
import { abortedAfter } from '@sentinel-node/contracts/deadline';
import { ConnectionError } from '../net/connection-advice.ts';
import { retryAfterMs } from '../net/server.ts';
import { decodeHeaderBundle, type ReadEntries } from './entries.ts';

/** Longest wait for an answer, in ms. */
const REQUEST_MS = 30_000;
const HASH_BYTES = 32;
/** A batch header after its length. */
const ENTRY_BYTES = 2 + BATCH_HEADER_BYTES;
/** UTF-8 has at most four bytes a character. */
const MAX_CHECKPOINT_BYTES = 4 * MAX_CHECKPOINT_LENGTH;
const NOT_FOUND = 404;

/** The log could not be read: unreachable, an unexpected status or an unexpected length. */
export class LogUnreadableError extends Error {
  /** How long the log's server asked not to be called again, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, waitMs?: number) {
    super(message);
    this.retryAfterMs = waitMs;
  }
}

/** Reads a log published as C2SP tlog-tiles. */
export class PublishedLog {
  readonly #prefix: string;
  readonly #fetch: typeof fetch;
  /** @boundedBy one look: two or three tiles a level */
  readonly #tiles = new Map<string, Promise<readonly Uint8Array[]>>();

  readonly #ending: AbortSignal | undefined;

  /** @param prefix address of the log, without a trailing slash @param ending aborts a running call */
  constructor(prefix: string, fetchBy: typeof fetch, ending?: AbortSignal) {
    this.#prefix = prefix;
    this.#fetch = fetchBy;
    this.#ending = ending;
  }

  /** Returns the newest signed note. @throws LogUnreadableError */
  async checkpoint(): Promise<string> {
    const bytes = await this.#get('/checkpoint', MAX_CHECKPOINT_BYTES);
    if (bytes === undefined) throw new LogUnreadableError(`there is no ${this.#prefix}/checkpoint`);
    return new TextDecoder().decode(bytes);
  }

  /** Returns the hashes of a tile; fetches each tile once. @throws LogUnreadableError */
  readonly hashes: ReadHashes = (tile) => {
    const path = tilePath(tile);
    const known = this.#tiles.get(path) ?? this.#hashesOf(tile, path);
    this.#tiles.set(path, known);
    return known;
  };

  /**
   * Returns the batch headers of a bundle. Does not cache them, because each is read once. @throws LogUnreadableError
   */
  readonly entries: ReadEntries = async (index, width) => {
    const path = tilePath({ level: 'entries', index, width });
    const most = TILE_WIDTH * ENTRY_BYTES;
    const partial = await this.#get(path, most);
    const full = tilePath({ level: 'entries', index, width: TILE_WIDTH });
    const bytes = partial ?? (await this.#get(full, most));
    if (bytes === undefined) throw new LogUnreadableError(`there is no ${this.#prefix}${path}`);
    const entries = decodeHeaderBundle(bytes, partial === undefined ? TILE_WIDTH : width);
    if (entries === undefined)
      throw new LogUnreadableError(`${this.#prefix}${path} is not ${width} batch headers`);
    return entries.slice(0, width);
  };

  async #hashesOf(tile: Tile, path: string): Promise<readonly Uint8Array[]> {
    // A log may remove a partial tile once the full one is there.
    const bytes =
      (await this.#tile(path, tile.width)) ??
      (await this.#tile(tilePath({ ...tile, width: TILE_WIDTH }), TILE_WIDTH));
    if (bytes === undefined) throw new LogUnreadableError(`there is no ${this.#prefix}${path}`);
    return Array.from({ length: tile.width }, (_, at) => bytes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  }

  async #tile(path: string, width: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#get(path, width * HASH_BYTES);
    if (bytes !== undefined && bytes.length !== width * HASH_BYTES)
      throw new LogUnreadableError(
        `${this.#prefix}${path} has ${bytes.length} bytes, not ${width * HASH_BYTES}`,
      );
    return bytes;
  }

  /** Fetches a path; undefined for 404. @throws LogUnreadableError */
  async #get(path: string, most: number): Promise<Uint8Array | undefined> {
    const address = `${this.#prefix}${path}`;
    try {
      const signal = abortedAfter(REQUEST_MS, this.#ending);
      const answer = await this.#fetch(address, { signal });
      if (answer.ok) return await bodyOf(answer, address, most);
      await answer.body?.cancel();
      if (answer.status === NOT_FOUND) return undefined;
      throw new LogUnreadableError(`${address} answers ${answer.status}`, retryAfterMs(answer.headers));
    } catch (error) {
      if (error instanceof LogUnreadableError) throw error;
      throw new LogUnreadableError(`${address} cannot be read: ${reasonOf(error)}`);
    }
  }
}

async function bodyOf(answer: Response, address: string, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > most) throw new LogUnreadableError(`${address} has more than ${most} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts, length));
}

/** Returns why a call failed: Node's `fetch` hides the reason in the cause; a ConnectionError has it in its message. */
function reasonOf(error: unknown): string {
  const hides = error instanceof Error && !(error instanceof ConnectionError);
  const cause = hides ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
