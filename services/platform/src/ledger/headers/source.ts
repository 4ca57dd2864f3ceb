import { PortError } from '../../ports/errors.ts';

/** An untrusted source of block headers: each header is checked. */
export interface HeaderSource {
  /** Name for logs: without user, password or query. */
  readonly name: string;
  /** Returns the height of its newest block. @throws LedgerUnavailableError, HeadersUnreadableError */
  height(): Promise<number>;
  /**
   * Returns headers of its best chain from a height on, 80 bytes each, at most `count`; fewer at the chain's end or
   * where branches cannot be told apart yet. @throws LedgerUnavailableError, also when it has none below its newest block;
   * HeadersUnreadableError
   */
  headers(from: number, count: number): Promise<Uint8Array>;
}

/** The source answers, but not with headers of the requested chain. */
export class HeadersUnreadableError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('HEADERS_UNREADABLE', message, options);
  }
}

/** Returns the URL in a form for logs. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
