/** What must hold when a mail is sent, which can be days after it was made. Stored with the mail. */

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
}

/** While the alert is shared with the address. */
export interface SharedAlertCondition {
  readonly kind: 'SHARED_ALERT';
  readonly alertId: string;
}

export type MailCondition = ActivationCondition | NoticeCondition | SharedAlertCondition;

/**
 * Returns the address that a mail with this condition goes to now; undefined when it is not to be sent.
 * @param to the address when the mail was made
 * @throws NotCaughtUpError while that cannot be told
 */
export type RecipientNow = (condition: MailCondition, to: string) => Promise<string | undefined>;
