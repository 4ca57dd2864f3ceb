import { abortedAfter } from '@sentinel-node/contracts/deadline';
import { fetchFailure, readLimited } from '../../ambient/fetched.ts';
import { LedgerUnavailableError } from '../../ports/errors.ts';
import { shownUrl } from './source.ts';

export interface BoundedRequest {
  readonly maxBytes: number;
  /** Limit until the answer is complete, in milliseconds. */
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string | undefined;
}

/** Makes a GET without redirects, within the given bytes and time. @throws LedgerUnavailableError */
export async function boundedFetch(url: string, request: BoundedRequest): Promise<BoundedAnswer> {
  const { headers = {}, maxBytes, timeoutMs, signal } = request;
  const limit = abortedAfter(timeoutMs, signal);
  try {
    const answer = await fetch(url, { headers, redirect: 'error', signal: limit });
    const bytes = await readLimited(answer, maxBytes);
    if (bytes === undefined)
      throw new LedgerUnavailableError(`${shownUrl(url)} answers with more than ${maxBytes} bytes`);
    return { status: answer.status, bytes, etag: answer.headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof LedgerUnavailableError) throw error;
    const why = limit.aborted && !signal.aborted ? `within ${timeoutMs} ms` : fetchFailure(error);
    throw new LedgerUnavailableError(`${shownUrl(url)} does not answer: ${why}`, { cause: error });
  }
}
