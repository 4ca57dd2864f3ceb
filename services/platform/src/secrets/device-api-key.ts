import { constantTimeEqual } from './constant-time.ts';
import { macOf } from './mac.ts';

const PREFIX = 'sk1.';

/**
 * Returns the key that an agent sends as X-API-Key: `sk1.` and base64url of HMAC-SHA256 over length-prefixed (u32,
 * UTF-8) organisation, device and decimal key version. 47 characters. Never stored; callers may cache it.
 * @param key `purposeKey(…, PURPOSES.deviceApiKeys)`
 */
export function deviceApiKey(key: Uint8Array, orgId: string, deviceId: string, keyVersion: number): string {
  return PREFIX + macOf(key, [orgId, deviceId, String(keyVersion)]).toString('base64url');
}

/**
 * Returns whether `presented` is in `valid`, in a time that does not reveal which key, or how much of it, is right.
 */
export function isDeviceApiKey(presented: string, valid: readonly string[]): boolean {
  return valid.map((key) => constantTimeEqual(presented, key)).includes(true);
}
