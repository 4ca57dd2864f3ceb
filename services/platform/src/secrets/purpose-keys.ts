import { hkdfSync } from 'node:crypto';

/**
 * Labels of derived keys (HKDF info), one for each purpose, so that no key serves two. A changed label loses the data
 * that its key protects.
 */
export const PURPOSES = {
  /** Ed25519 seed of the transparency log. */
  logKey: 'sentinel/log-key/v1',
  deviceApiKeys: 'sentinel/device-api-key/v1',
  sessionTokens: 'sentinel/session-token/v1',
  xsrf: 'sentinel/xsrf/v1',
  /** HMAC key of the links with which people switch off their own mails. */
  unsubscribing: 'sentinel/unsubscribing/v1',
  devWallet: 'sentinel/dev-wallet/v1',
  devLedger: 'sentinel/dev-ledger/v1',
  webhookSecrets: 'sentinel/webhook-secret/v1',
  webhookTargets: 'sentinel/webhook-target/v1',
  /** Bearer token for reports of a ledger's service. */
  ledgerCallback: 'sentinel/ledger-callback/v1',
} as const;
export type Purpose = (typeof PURPOSES)[keyof typeof PURPOSES];

const KEY_BYTES = 32;

/**
 * Derives 32 bytes by HKDF-SHA256 (RFC 5869) from the master secret, without salt.
 * @param part names one of several keys of a purpose, such as a `kid`
 */
export function purposeKey(masterSecret: string, purpose: Purpose, part?: string): Uint8Array {
  const info = part === undefined ? purpose : `${purpose}/${part}`;
  return new Uint8Array(hkdfSync('sha256', masterSecret, '', info, KEY_BYTES));
}
