/** What the description of the API says of a call beyond its schemas. */
import type { ErrorCode } from '@sentinel-node/contracts';

export interface Operation {
  /** One line, as in a table of contents. */
  readonly summary: string;
  readonly description?: string;
  /** Example of a path parameter whose name does not say what it is of (`id`). */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Example of the successful answer; absent: it has no body. */
  readonly answer?: unknown;
  /** Refusals of this call besides those that every call of its kind has. */
  readonly refuses?: readonly ErrorCode[];
  /** The answer carries an `ETag`. */
  readonly etag?: boolean;
  /** Takes `If-Match`. */
  readonly ifMatch?: boolean;
  /** Example of the CSV that `toExport=true` gives with `Accept: text/csv`. */
  readonly csv?: string;
  /** Another media type of the answer than JSON. */
  readonly produces?: string;
}

/** A message that this system sends to a receiver. */
export interface DescribedMessage {
  readonly summary: string;
  readonly contentType: string;
  readonly schema: object;
  readonly example: object;
  /** What each header says, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** By method and path below /api/v1, as `GET /devices/:orgId`. */
export type Operations = Readonly<Record<string, Operation>>;
