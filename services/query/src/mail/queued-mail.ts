/** A mail in the store that waits for the mail server. */
import { collectionOf, type MailMessage } from '@sentinel-node/platform';
import type { MailCondition } from './condition.ts';

export const MAILS_COLLECTION = {
  name: collectionOf<QueuedMail>('mails'),
  indexes: [{ fields: ['nextAt'] }, { fields: ['orgId', 'id'] }, { fields: ['attempts'] }],
} as const;

export interface QueuedMail extends MailMessage {
  readonly id: string;
  readonly rev: number;
  /** Since when the mail waits for the mail server: when it was made, or the end of the last quiet hours that held it. */
  readonly at: number;
  /** When the mail was made; absent when that is `at`. */
  readonly madeAt?: number;
  readonly nextAt: number;
  /**
   * When `nextAt` was set, by the clock of then: ahead of now when it was set back since, so that `nextAt` says nothing. Absent in mails
   * of earlier versions.
   */
  readonly setAt?: number;
  readonly attempts: number;
  /** Number of attempts that were refused for good. */
  readonly refusals: number;
  /** Whether the last attempt ended at the mailbox, for now; absent before the first attempt, and in mails of earlier versions. */
  readonly isDeferred?: boolean;
  readonly condition: MailCondition | null;
  /** The organisation whose share the mail takes; absent in mails of earlier versions. */
  readonly orgId?: string;
}

export const madeAt = ({ at, madeAt = at }: Pick<QueuedMail, 'at' | 'madeAt'>): number => madeAt;
