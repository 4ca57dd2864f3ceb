/** Milliseconds since the Unix epoch, UTC. */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
}

export interface MailMessage {
  /** Names the mail: the same one sent again has the same. */
  readonly id?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
}

export interface Mailer {
  /**
   * Resolves when the server has taken it. `signal` gives up waiting for that.
   * @throws MailRefusedError when it said no for good; anything else is a passing fault: the outbox sends again
   */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
  /** Ends connections that are kept for the next mail. */
  close?(): void;
}
