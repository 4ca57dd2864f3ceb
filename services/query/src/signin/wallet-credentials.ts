import type { KeyObject } from 'node:crypto';
import { canonicalJson, type WalletCredentials } from '@sentinel-node/contracts';
import { isSignatureOf, signText } from './secp256k1.ts';

/** The oldest accepted credentials, in milliseconds; their token lives as long. */
export const CREDENTIALS_MS = 5 * 60_000;
/** How far the wallet's clock may be ahead of the server's, in milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

export type UnsignedCredentials = Omit<WalletCredentials, 'signature'>;

/** Signs the canonical JSON (RFC 8785) of every field except `signature`. */
export function signedCredentials(key: KeyObject, credentials: UnsignedCredentials): WalletCredentials {
  return { ...credentials, signature: signText(key, canonicalJson(credentials)) };
}

export interface CredentialRules {
  readonly publicKey: KeyObject;
  readonly isAudience: (audience: string) => boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Returns undefined for valid credentials, else the fault for the log; the client only learns that the credentials are
 * invalid.
 */
export function credentialsFault(
  { signature, ...signed }: WalletCredentials,
  { publicKey, isAudience, now }: CredentialRules,
): 'signature' | 'audience' | 'age' | undefined {
  if (!isSignatureOf(publicKey, canonicalJson(signed), signature)) return 'signature';
  if (!isAudience(signed.audience)) return 'audience';
  const age = now - Date.parse(signed.issuedAt);
  return age >= -CLOCK_SKEW_MS && age <= CREDENTIALS_MS ? undefined : 'age';
}
