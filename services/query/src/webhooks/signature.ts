/** Signatures of Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md). Pure. */
import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same for every attempt: receivers know a repetition by it. */
  readonly id: string;
  /** Seconds since the Unix epoch of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, for each key, with blanks between. */
export function signatures(keys: readonly Uint8Array[], { id, timestamp, body }: SignedMessage): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}

export function signatureHeaders(
  keys: readonly Uint8Array[],
  message: SignedMessage,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signatures(keys, message),
  };
}
