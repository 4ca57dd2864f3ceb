import { PortError } from '../../ports/errors.ts';

/** Whoever gives block headers. Nothing that a source says is believed: each header is checked. */
export interface HeaderSource {
  /** How logs name it: without user, password or query. */
  readonly name: string;
  /** Height of its newest block. @throws LedgerUnavailableError, HeadersUnreadableError */
  height(): Promise<number>;
  /**
   * Headers of its best chain from a height on, 80 bytes each, at most `count`; fewer at its end or where branches
   * cannot be told apart yet. @throws LedgerUnavailableError, HeadersUnreadableError
   */
  headers(from: number, count: number): Promise<Uint8Array>;
}

/** The source answers, but not with headers of the chain that is asked for. */
export class HeadersUnreadableError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('HEADERS_UNREADABLE', message, options);
  }
}

/** A URL as logs may show it. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
