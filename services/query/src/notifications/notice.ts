/** What an organisation can be told: one shape for mails, webhooks and syslog. */

import type { Category, NoticeType, Severity } from '@sentinel-node/contracts';

export { NOTICE_TYPES, SEVERITIES } from '@sentinel-node/contracts';
export type { NoticeType, Severity } from '@sentinel-node/contracts';

/** Names are those of the moment that the notice is about. A notice never holds content of a file. */
export interface Notice {
  /** UUID made from the cause, so that the same cause, seen again, has the same id. */
  readonly id: string;
  readonly type: NoticeType;
  readonly orgId: string;
  /** ISO 8601, UTC, milliseconds: when the cause happened. */
  readonly at: string;
  readonly severity: Severity;
  /** Notices with the same key are delivered in their order: an alert's, else a file's, a device's, or the organisation's id. */
  readonly orderKey: string;
  /** One sentence in plain English. */
  readonly text: string;
  readonly device?: { readonly id: string; readonly name: string };
  readonly file?: { readonly id: string; readonly path: string };
  readonly alert?: { readonly id: string; readonly type: string; readonly status: string };
  /** Who did it, where a person did. */
  readonly actor?: string;
  /** Of the file or device; absent: it is about neither. */
  readonly category?: Category;
  /** ISO 8601: since when it is so, where that is not `at`. */
  readonly since?: string;
}

/**
 * Somewhere that notices can go. `enqueueAll` is durable when it resolves; the same notice to the same target, given again,
 * is delivered once. It gives how many were left out, the last ones, because too many of their organisation wait.
 */
export interface NoticeTarget {
  enqueueAll(targetId: string, notices: readonly Notice[]): Promise<number>;
}
