/** The development wallet signs in anyone as anyone. It speaks the protocol of a real wallet, with its own key. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { toHex, type WalletCredentials } from '@sentinel-node/contracts';
import { PURPOSES, purposeKey, type Clock, type Random } from '@sentinel-node/platform';
import { privateKeyOf, signedCredentials } from '../signin/index.ts';

const TOKEN_BYTES = 24;
/** Fewer than 1 in 2^127 derived keys are outside the curve's order. */
const KEY_ATTEMPTS = 4;

export interface DevelopmentWallet {
  readonly publicKey: KeyObject;
  /** Returns the body that the wallet POSTs to `audience` after a sign-in. */
  credentials(person: { readonly email: string; readonly name: string }, audience: string): WalletCredentials;
}

export function developmentWallet(masterSecret: string, clock: Clock, random: Random): DevelopmentWallet {
  const key = privateKey(masterSecret);
  return {
    publicKey: createPublicKey(key),
    credentials: ({ email, name }, audience) =>
      signedCredentials(key, {
        accessToken: toHex(random.bytes(TOKEN_BYTES)),
        userId: walletUserIdOf(email),
        email,
        name,
        issuedAt: new Date(clock.now()).toISOString(),
        audience,
      }),
  };
}

function privateKey(masterSecret: string): KeyObject {
  for (let attempt = 0; ; attempt++) {
    const part = attempt === 0 ? undefined : String(attempt);
    try {
      return privateKeyOf(purposeKey(masterSecret, PURPOSES.devWallet, part));
    } catch (error) {
      if (attempt + 1 >= KEY_ATTEMPTS) throw error;
    }
  }
}

/** Returns a UUID (version 8, RFC 9562) from SHA-256 of the lower-cased e-mail, so that a person keeps one id. */
export function walletUserIdOf(email: string): string {
  const digest = createHash('sha256').update(email.toLowerCase()).digest();
  digest[6] = 0x80 | (digest[6]! & 0x0f);
  digest[8] = 0x80 | (digest[8]! & 0x3f);
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
