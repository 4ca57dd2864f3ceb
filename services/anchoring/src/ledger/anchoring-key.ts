import { PrivateKey } from '@bsv/sdk/primitives';
import { ConfigError } from '@sentinel-node/platform';

/** Prefixes of WIF: the main network, and test networks. */
const WIF_PREFIXES = [0x80, 0xef];

/**
 * Returns the key of SENTINEL_FUNDING_KEY, 32 bytes in hex. Its public key is always used in the compressed form.
 * @param given WIF, or hex of 32 bytes
 * @throws ConfigError, which does not show the key
 */
export function anchoringKeyOf(given: string): string {
  const key = /^[0-9a-f]{64}$/.test(given) ? fromHex(given) : fromWif(given);
  if (key !== undefined) return key;
  const message = 'is not a private key of secp256k1, or its checksum is wrong';
  throw new ConfigError([{ variable: 'SENTINEL_FUNDING_KEY', message }]);
}

/** Returns undefined for 0 and for a number that is not below the order of the curve. */
function fromHex(given: string): string | undefined {
  try {
    const key = new PrivateKey(given, 16, 'be', 'error');
    return key.isZero() ? undefined : given;
  } catch {
    return undefined;
  }
}

function fromWif(given: string): string | undefined {
  try {
    const key = PrivateKey.fromWif(given);
    return WIF_PREFIXES.some((prefix) => key.toWif([prefix]) === given)
      ? key.toHex().padStart(64, '0')
      : undefined;
  } catch {
    return undefined;
  }
}
