import { ApiError, FairPool, OverloadedError, type Holding } from '@sentinel-node/platform';
import type { ProofCaller } from './batch-trees.ts';
import { PROOF_WORK } from './limits.ts';

/**
 * Limits the bundles that are made at once, because each bundle is in memory as a whole.
 * @pool bundles
 */
export class Bundling {
  readonly #places = new FairPool({
    unit: 'bundles',
    whole: PROOF_WORK.bundlesAtOnce,
    perMember: PROOF_WORK.bundlesPerMember,
  });

  /** @throws ApiError OVERLOADED (try again) when too many bundles are being made, in total or of the organisation */
  async run<T>(caller: ProofCaller, make: () => Promise<T>): Promise<T> {
    const place = this.#enter(caller);
    try {
      return await make();
    } finally {
      place.release();
    }
  }

  #enter({ member, orgId }: ProofCaller): Holding {
    const place = this.#places.hold(orgId, `${orgId} ${member}`);
    try {
      place.take(1);
    } catch (error) {
      place.release();
      if (!(error instanceof OverloadedError)) throw error;
      const { retryAfterSeconds } = PROOF_WORK;
      throw new ApiError('OVERLOADED', { detail: 'Too many bundles are being made.', retryAfterSeconds });
    }
    return place;
  }
}
