import {
  BUNDLE_LIMITS,
  mapKey,
  omit,
  PROOF_STATES,
  type BundleBatch,
  type BundleBlock,
  type ProofState,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { ProofCaller } from './batch-trees.ts';
import type { Range } from './bundle-entries.ts';
import { evidenceOf, hexes, type Evidence } from './evidence.ts';
import { PROOF_WORK } from './limits.ts';
import { placeInLog, type ProofContext } from './proof-of.ts';

export interface Part extends Range {
  /** null while the entries wait for a batch. */
  readonly batch: number | null;
}

/** Room for the names, hashes and punctuation of a bundle, besides its entries, batches and blocks. */
const HEAD_BYTES = 4_096;

/**
 * Builds one bundle within the limits of size and time.
 * @pool bundles
 */
export class BundleMaking {
  readonly batches: BundleBatch[] = [];
  /** Blocks by hash; batches in one block share the block. */
  readonly blocks = new Map<string, BundleBlock>();
  readonly #context: ProofContext;
  readonly #fileId: string;
  readonly #caller: ProofCaller;
  readonly #range: Range;
  readonly #begun: number;
  readonly #states = new Set<ProofState>();
  #bytes = 0;

  constructor(context: ProofContext, fileId: string, caller: ProofCaller, range: Range) {
    this.#context = context;
    this.#fileId = fileId;
    this.#caller = caller;
    this.#range = range;
    this.#begun = context.clock.now();
  }

  get state(): ProofState {
    return PROOF_STATES.find((state) => this.#states.has(state))!;
  }

  /** @param number number of the entry that `part` belongs to */
  count(part: object, number: number): void {
    this.#bytes += JSON.stringify(part).length + 1;
    // The head of the document is small; HEAD_BYTES leaves room for it.
    if (this.#bytes > BUNDLE_LIMITS.documentBytes - HEAD_BYTES) throw this.#tooLarge(number);
  }

  /** @param number number of the next entry @throws ApiError OVERLOADED when the bundle took too long so far */
  checkTime(number: number): void {
    if (this.#context.clock.now() - this.#begun > PROOF_WORK.bundleMs) throw this.#late(number);
  }

  /** @throws ApiError OVERLOADED when the bundle takes too long */
  async add({ batch, from, to }: Part): Promise<void> {
    if (batch === null) {
      this.#states.add('PENDING');
      return;
    }
    this.checkTime(from);
    const evidence = await evidenceOf(this.#context.store, batch);
    const { block, transaction } = evidence;
    const made = {
      from,
      to,
      ...(await this.#leaves(evidence, { from, to })),
      ...placeInLog(this.#context, evidence),
      transaction,
      block: block === null ? null : { hash: block.hash, bump: block.bump },
    };
    this.count(made, from);
    this.batches.push(made);
    this.#states.add(block !== null ? 'MINED' : transaction !== null ? 'SENT' : 'CUT');
    if (block === null || this.blocks.has(block.hash)) return;
    this.count(block, from);
    this.blocks.set(block.hash, omit(block, 'bump'));
  }

  async #leaves({ cut }: Evidence, { from, to }: Range): Promise<Pick<BundleBatch, 'leafIndex' | 'nodes'>> {
    const tree = await this.#context.trees.get(cut, this.#caller);
    const key = mapKey(this.#context.logKey.logId, 'FILE', this.#fileId);
    const [first, last] = [from, to].map((number) => tree.indexOf(key, number));
    if (first === undefined || last === undefined)
      throw new Error(`entries ${from} to ${to} of file ${this.#fileId} are not in batch ${cut.batch}`);
    return { leafIndex: first, nodes: hexes(tree.siblingNodes(first, last)) };
  }

  #late(number: number): ApiError {
    const { bundleMs, retryAfterSeconds } = PROOF_WORK;
    const done = number > this.#range.from ? `, or for from=${this.#range.from}&to=${number - 1}` : '';
    const detail = `The bundle is not made after ${bundleMs / 1_000} s: ask again later${done}.`;
    return new ApiError('OVERLOADED', { detail, retryAfterSeconds });
  }

  #tooLarge(number: number): ApiError {
    const { from } = this.#range;
    const detail = `A bundle has at most ${BUNDLE_LIMITS.documentBytes} bytes: ask for from=${from}&to=${Math.max(number - 1, from)}, then for from=${Math.max(number, from + 1)}.`;
    return new ApiError('VALIDATION_FAILED', { detail });
  }
}
