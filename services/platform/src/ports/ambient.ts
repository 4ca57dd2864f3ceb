/** Returns milliseconds since the Unix epoch, UTC. */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
}

export interface MailMessage {
  /** Id of the mail: a mail that is sent again keeps its id. */
  readonly id?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
  /** Mails with the same thread show as one conversation. Letters, digits and hyphens. */
  readonly thread?: string;
  /** Additional header fields; names and values are ASCII without control characters. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Resolves when the server has accepted the mail. `signal` ends the wait.
   * @throws MailRefusedError after a permanent refusal, MailDeferredError when the mailbox gets no mail now; after these and any other
   * error the outbox sends again
   */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
  /** Closes the connections kept for the next mail. */
  close?(): void;
}
