/**
 * Signs messages by Standard Webhooks (github.com/standard-webhooks/standard-webhooks,
 * spec/standard-webhooks.md). Pure.
 */
import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same at every attempt, so that receivers recognise duplicates. */
  readonly id: string;
  /** Time of this attempt in seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, for each key, separated by spaces. */
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
