import { createHmac } from 'node:crypto';
import { constantTimeEqual } from './constant-time.ts';

/** Returns the value of the XSRF-TOKEN cookie: base64url HMAC-SHA256 of the session's `jti`. */
export function xsrfToken(key: Uint8Array, jti: string): string {
  return createHmac('sha256', key).update(jti).digest('base64url');
}

/** Returns whether the X-XSRF-TOKEN header belongs to the session. */
export function isXsrfToken(key: Uint8Array, jti: string, presented: string): boolean {
  return constantTimeEqual(xsrfToken(key, jti), presented);
}
