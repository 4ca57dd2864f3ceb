/** The description of a call beyond its schemas. */
import type { ErrorCode } from '@sentinel-node/contracts';

export interface Operation {
  /** One line, as in a table of contents. */
  readonly summary: string;
  readonly description?: string;
  /** Example of a path parameter with an ambiguous name (`id`). */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Example of the successful answer; absent when the answer has no body. */
  readonly answer?: unknown;
  /** Refusals of this call besides those of every call of its kind. */
  readonly refuses?: readonly ErrorCode[];
  /** The answer carries an `ETag`. */
  readonly etag?: boolean;
  /** Takes `If-Match`. */
  readonly ifMatch?: boolean;
  /** Example of the CSV that `toExport=true` gives with `Accept: text/csv`. */
  readonly csv?: string;
  /** Media type of the answer when it is not JSON. */
  readonly produces?: string;
}

/** A message that this system sends to a webhook. */
export interface DescribedMessage {
  readonly summary: string;
  readonly contentType: string;
  readonly schema: object;
  readonly example: object;
  /** Meaning of each header, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Operations by method and path below /api/v1, such as `GET /devices/:orgId`. */
export type Operations = Readonly<Record<string, Operation>>;
