/** The condition that must hold when a mail is sent, which can be days after it was made. Stored with the mail. */
import type { NotificationRuleFields } from '@sentinel-node/contracts';

/** While this user of the organisation has this activation. Earlier versions stored it without a kind. */
export interface ActivationCondition {
  readonly kind?: undefined;
  readonly orgId: string;
  readonly userId: string;
  readonly idHash: string;
}

/** While the recipient of notices is still there and wants them. */
export interface NoticeCondition {
  readonly kind: 'NOTICE';
  readonly recipient: {
    readonly id: string;
    readonly orgId: string;
    /** null for a recipient without a user account. */
    readonly userId: string | null;
    readonly address: string | null;
  };
  /** When true, the recipient gets the mail also with mails switched off. */
  readonly required: boolean;
  /**
   * Quiet hours of the rules that cause the mail: it goes when those of one of them are over. Absent when a rule is urgent, and in mails
   * of earlier versions.
   */
  readonly hours?: readonly Pick<NotificationRuleFields, 'zone' | 'quietHours'>[];
}

/** While the alert is shared with the address. */
export interface SharedAlertCondition {
  readonly kind: 'SHARED_ALERT';
  readonly alertId: string;
}

export type MailCondition = ActivationCondition | NoticeCondition | SharedAlertCondition;

export interface Destination {
  readonly to: string;
  /** The end of the quiet hours that the moment is in, in milliseconds since the Unix epoch; absent when it is in none. */
  readonly notBefore?: number;
}

/**
 * Returns where and when a mail with this condition goes now; undefined when it is not to be sent.
 * @param to the address when the mail was made
 * @throws NotCaughtUpError while that cannot be told
 */
export type RecipientNow = (condition: MailCondition, to: string) => Promise<Destination | undefined>;
