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

/** @pool proofs, proof-trees */
export class BatchTrees {
  readonly #make: (cut: Cut) => Promise<LeafTree>;
  readonly #limits: Limits;
  /** Trees by batch number. */
  readonly #kept: LRUCache<number, LeafTree>;
  readonly #making = new Map<number, Promise<LeafTree>>();
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

  #begin(cut: Cut): Promise<LeafTree> {
    const making = this.#last
      .then(() => this.#make(cut))
      .then((tree) => {
        this.#kept.set(cut.batch, tree);
        return tree;
      })
      .finally(() => this.#making.delete(cut.batch));
    this.#making.set(cut.batch, making);
    this.#last = making.catch(() => undefined);
    return making;
  }

  async #inTime(making: Promise<LeafTree>): Promise<LeafTree> {
    const end = new AbortController();
    const late = pause(this.#limits.waitMs, undefined, { signal: end.signal, ref: false });
    try {
      const tree = await Promise.race([making, late]);
      if (tree === undefined) throw this.#busy('The batch is large: its proofs are being made.');
      return tree;
    } finally {
      late.catch(() => undefined);
      end.abort();
    }
  }

  #busy(detail: string): ApiError {
    return new ApiError('OVERLOADED', { detail, retryAfterSeconds: this.#limits.retryAfterSeconds });
  }
}
