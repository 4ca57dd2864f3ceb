/** A notice to an organisation: one shape for mails, webhooks and syslog. */

import type { AlertType, Category, NoticeType, Severity } from '@sentinel-node/contracts';

export { NOTICE_TYPES, SEVERITIES } from '@sentinel-node/contracts';
export type { NoticeType, Severity } from '@sentinel-node/contracts';

/** Names are as they were at the time of the cause. A notice never has content of a file. */
export interface Notice {
  /** UUID made from the cause, so that a repeated cause gives the same id. */
  readonly id: string;
  readonly type: NoticeType;
  readonly orgId: string;
  /** When the cause happened: ISO 8601, UTC, with milliseconds. */
  readonly at: string;
  readonly severity: Severity;
  /**
   * Notices with the same key are delivered in order: id of the alert, else of the file, the device or the
   * organisation.
   */
  readonly orderKey: string;
  /** One sentence in plain English, with names as `visible` shows them. */
  readonly text: string;
  readonly device?: { readonly id: string; readonly name: string };
  readonly file?: { readonly id: string; readonly path: string };
  readonly alert?: { readonly id: string; readonly type: AlertType; readonly status: string };
  /** E-mail of the person who acted, if there was one. */
  readonly actor?: string;
  /** Category of the file or device; absent when the notice is about neither. */
  readonly category?: Category;
  /** When the state began (ISO 8601), if that is not `at`. */
  readonly since?: string;
  /** When true, what the type tells of is over because it is no longer monitored. Only for receivers that keep incidents open. */
  readonly ends?: true;
}

/**
 * Destinations of notices. `enqueueAll` is durable when it resolves; a notice that is given again to the same
 * target is delivered once.
 */
export interface NoticeTargets {
  /**
   * @param notices of one organisation, by the id of a target, in their order
   * @returns by target, how many notices, the last ones, were left out because too many of the organisation
   * wait; targets without such notices are absent
   */
  enqueueAll(
    orgId: string,
    notices: ReadonlyMap<string, readonly Notice[]>,
  ): Promise<ReadonlyMap<string, number>>;
}
