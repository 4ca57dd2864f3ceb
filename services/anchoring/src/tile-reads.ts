import { tileEnd, type Tile } from '@sentinel-node/contracts';
import { FairPool, type DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS } from './collections.ts';
import { sizesOf, tileBytes } from './domain/tile-bytes.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { logAfter } from './recorded-log.ts';

const { name: CUTS } = OWN_COLLECTIONS.cuts;

/**
 * Builds tiles of the log from the recorded cuts, one at a time: a tile takes up to 512 cuts into memory.
 * @pool tile-reads
 */
export class TileReads {
  readonly #store: DocumentStore;
  readonly #waiting: FairPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: DocumentStore, most: number = ANCHORING_LIMITS.tileReads) {
    this.#store = store;
    this.#waiting = new FairPool({ unit: 'reads of tiles', whole: most, perMember: most });
  }

  /** Number of reads that run or wait. */
  get used(): number {
    return this.#waiting.used;
  }

  /**
   * Returns a tile; undefined when the log does not have the whole tile.
   * @param address address of the caller, whose share of the waiting reads the call takes
   * @throws OverloadedError when too many reads wait
   */
  async read(tile: Tile, address: string): Promise<Uint8Array | undefined> {
    const place = this.#waiting.hold(address, address);
    try {
      place.take(1);
      return await this.#inTurn(() => this.#made(tile));
    } finally {
      place.release();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #made(tile: Tile): Promise<Uint8Array | undefined> {
    const end = tileEnd(tile);
    if (!Number.isSafeInteger(end)) return undefined;
    // A log that has the end of the tile has all of it, because cuts are recorded without a gap.
    if ((await this.#store.get(CUTS, batchId(end - 1))) === undefined) return undefined;
    const ids = sizesOf(tile).map((size) => batchId(size - 1));
    const cuts = await this.#store.getMany(CUTS, ids);
    const logs = new Map(cuts.map((cut) => [cut.log.size, logAfter(cut)]));
    return tileBytes(tile, (size) => {
      const log = logs.get(size);
      if (log === undefined) throw new Error(`the cut of batch ${size - 1} is missing`);
      return Promise.resolve(log);
    });
  }
}
