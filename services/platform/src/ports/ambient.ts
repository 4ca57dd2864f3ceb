/** Milliseconds since the Unix epoch, UTC. */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
}

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
}

/** @throws when the server did not take it; the outbox sends again */
export interface Mailer {
  send(message: MailMessage): Promise<void>;
}
