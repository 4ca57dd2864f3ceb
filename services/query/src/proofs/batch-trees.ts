/** Builds trees of batches for proofs: one at a time, each once. A cache keeps the trees that were used last. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Cut } from '@sentinel-node/contracts';
import { ApiError, FairPool, LRUCache, OverloadedError } from '@sentinel-node/platform';
import type { LeafTree } from './leaf-tree.ts';
import { PROOF_WORK } from './limits.ts';

type Limits = {
  readonly [
    K in 'treeCacheBytes' | 'waitingRequests' | 'waitingPerMember' | 'waitMs' | 'retryAfterSeconds'
  ]: number;
};

/** The organisation and member whose share of the waiting requests a request takes. */
export interface ProofCaller {
  readonly orgId: string;
  /** User id of a person, or address of a visitor. */
  readonly member: string;
}

interface Making {
  readonly tree: Promise<LeafTree>;
  /** Requests that still wait for the tree. */
  waiting: number;
}

/** @pool proofs, proof-trees */
export class BatchTrees {
  readonly #make: (cut: Cut) => Promise<LeafTree>;
  readonly #limits: Limits;
  /** Trees by batch number. */
  readonly #kept: LRUCache<number, LeafTree>;
  readonly #making = new Map<number, Making>();
  readonly #waiting: FairPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(make: (cut: Cut) => Promise<LeafTree>, limits: Limits = PROOF_WORK) {
    this.#make = make;
    this.#limits = limits;
    this.#kept = new LRUCache({ maxSize: limits.treeCacheBytes, sizeCalculation: ({ bytes }) => bytes });
    const whole = limits.waitingRequests;
    this.#waiting = new FairPool({ unit: 'requests for proofs', whole, perMember: limits.waitingPerMember });
  }

  /**
   * @throws ApiError OVERLOADED (try again) when too many requests wait, in total or of the organisation, or the tree
   * takes too long
   */
  async get(cut: Cut, { orgId, member }: ProofCaller): Promise<LeafTree> {
    const kept = this.#kept.get(cut.batch);
    if (kept !== undefined) return kept;
    const place = this.#waiting.hold(orgId, `${orgId} ${member}`);
    try {
      place.take(1);
      return await this.#inTime(this.#making.get(cut.batch) ?? this.#begin(cut));
    } catch (error) {
      if (error instanceof OverloadedError) throw this.#busy('Too many proofs are being made.');
      throw error;
    } finally {
      place.release();
    }
  }

  /** A tree that nobody waits for any more when its turn comes is not made. */
  #begin(cut: Cut): Making {
    const make = (): Promise<LeafTree> => {
      if (making.waiting > 0) return this.#make(cut);
      this.#making.delete(cut.batch);
      throw this.#busy('Nobody waited for the tree.');
    };
    const tree = this.#last
      .then(make)
      .then((made) => {
        this.#kept.set(cut.batch, made);
        return made;
      })
      .finally(() => {
        if (this.#making.get(cut.batch) === making) this.#making.delete(cut.batch);
      });
    const making: Making = { tree, waiting: 0 };
    this.#making.set(cut.batch, making);
    this.#last = tree.catch(() => undefined);
    return making;
  }

  async #inTime(making: Making): Promise<LeafTree> {
    const end = new AbortController();
    const late = pause(this.#limits.waitMs, undefined, { signal: end.signal, ref: false });
    making.waiting++;
    try {
      const tree = await Promise.race([making.tree, late]);
      if (tree === undefined) throw this.#busy('The batch is large: its proofs are being made.');
      return tree;
    } finally {
      making.waiting--;
      late.catch(() => undefined);
      end.abort();
    }
  }

  #busy(detail: string): ApiError {
    return new ApiError('OVERLOADED', { detail, retryAfterSeconds: this.#limits.retryAfterSeconds });
  }
}
