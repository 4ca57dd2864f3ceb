import { BLOCK_HEADER_BYTES } from '@sentinel-node/contracts';
import type { BestChain, Offered, OfferProblem } from './best-chain.ts';
import { HEADER_LIMITS } from './limits.ts';
import { HeadersUnreadableError, type HeaderSource } from './source.ts';

export interface LookOptions {
  readonly chain: BestChain;
  readonly source: HeaderSource;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Called after each change, before the next request. */
  readonly onTaken: (from: number) => Promise<void>;
}

/** Reason why the source's headers are not a chain with more work. The known headers stay. */
export interface Refusal {
  readonly problem: OfferProblem;
  readonly height: number;
}

export interface Looked {
  /** Undefined when nothing was refused. */
  readonly refusal: Refusal | undefined;
  /** Height of the source's newest block. The chain can end before it where branches cannot be told apart yet. */
  readonly end: number;
}

/** Asks the source for new headers, answer after answer. @throws errors of the source */
export async function fetchHeaders(options: LookOptions): Promise<Looked> {
  const end = await options.source.height();
  return { refusal: await fetchUpTo(options, end), end };
}

async function fetchUpTo(options: LookOptions, end: number): Promise<Refusal | undefined> {
  const { chain, source } = options;
  if (end < chain.checkpoint.height)
    throw new HeadersUnreadableError(
      `${source.name} ends at block ${end}, below the checkpoint, block ${chain.checkpoint.height}`,
    );
  const fork = await lastShared(options, end);
  if (fork === undefined) return { problem: 'OTHER_CHAIN', height: chain.checkpoint.height };
  if (fork >= end) return undefined;
  return fork < chain.height ? takeBranch(options, fork, end) : follow(options, fork, end);
}

/**
 * Returns the height of the newest shared header: the checkpoint's minus one for an empty chain, undefined when no
 * header is shared.
 */
async function lastShared({ chain, source }: LookOptions, end: number): Promise<number | undefined> {
  const lowest = chain.checkpoint.height;
  if (chain.height < lowest) return chain.height;
  let to = Math.min(chain.height, end);
  for (let count = 1; to >= lowest; count = Math.min(count * 4, HEADER_LIMITS.pageHeaders)) {
    const from = Math.max(lowest, to - count + 1);
    const theirs = await source.headers(from, to - from + 1);
    for (let height = from + theirs.length / BLOCK_HEADER_BYTES - 1; height >= from; height--) {
      const start = (height - from) * BLOCK_HEADER_BYTES;
      const ours = chain.headerAt(height);
      if (
        ours !== undefined &&
        Buffer.compare(ours, theirs.subarray(start, start + BLOCK_HEADER_BYTES)) === 0
      )
        return height;
    }
    to = from - 1;
  }
  return undefined;
}

/** Takes headers that extend the chain, answer after answer. */
async function follow(options: LookOptions, fork: number, end: number): Promise<Refusal | undefined> {
  const { chain, source } = options;
  for (let from = fork + 1; from <= end; from = chain.height + 1) {
    const headers = await source.headers(from, HEADER_LIMITS.pageHeaders);
    if (headers.length === 0) return undefined;
    const offered = chain.offer(from, headers, options.now());
    if (offered.outcome !== 'TAKEN') return refusalOf(offered);
    await options.onTaken(offered.from);
  }
  return undefined;
}

/** Takes headers that replace a part of the chain, all at once, because only together they have more work. */
async function takeBranch(options: LookOptions, fork: number, end: number): Promise<Refusal | undefined> {
  const { chain, source } = options;
  const branch = chain.branchAfter(fork);
  while (branch.next <= end && branch.next - chain.checkpoint.height < HEADER_LIMITS.headers) {
    const headers = await source.headers(branch.next, HEADER_LIMITS.pageHeaders);
    if (headers.length === 0) break;
    const refused = branch.add(headers, options.now());
    if (refused !== undefined) return refusalOf(refused);
  }
  const offered = chain.take(branch);
  // A branch that is not whole yet may have more work when it is.
  if (offered.outcome === 'REFUSED' && offered.problem === 'LESS_WORK' && branch.next <= end)
    return undefined;
  if (offered.outcome === 'TAKEN') await options.onTaken(offered.from);
  return refusalOf(offered);
}

const refusalOf = (offered: Offered): Refusal | undefined =>
  offered.outcome === 'REFUSED' ? { problem: offered.problem, height: offered.height } : undefined;
