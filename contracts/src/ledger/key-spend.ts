/**
 * Checks the only form of spent outputs and unlocking scripts in a chain of seals (docs/formats.md, "Chain of seals").
 * The ledger also accepts outputs that anybody can spend, and signatures that omit outputs, inputs or the spent value;
 * with those, a checker could not tell what was signed.
 */
import { toHex } from '../bytes/bytes.ts';

/** OP_DUP OP_HASH160, push of 20 bytes; OP_EQUALVERIFY OP_CHECKSIG. */
const KEY_HASH_SCRIPT = /^76a914[0-9a-f]{40}88ac$/;
const COMPRESSED_KEY_BYTES = 33;
/** SIGHASH_ALL with FORKID. */
const HASH_TYPE = 0x41;
/** DER: 30, length, 02, length of r, r, 02, length of s, s. */
const R_LENGTH_AT = 3;
/** Half of the order of secp256k1; hex. */
const HIGHEST_S = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * Returns true when an output pays to the hash of a key, and the unlocking script pushes one signature of the whole
 * transaction (hash type 41, s at most half of the order) and one compressed key. Does not run the scripts.
 */
export function isKeySpend(spentScript: Uint8Array, unlocking: Uint8Array): boolean {
  const signatureLength = unlocking[0] ?? 0;
  const signature = unlocking.subarray(1, 1 + signatureLength);
  return (
    KEY_HASH_SCRIPT.test(toHex(spentScript)) &&
    unlocking.length === signatureLength + COMPRESSED_KEY_BYTES + 2 &&
    unlocking[1 + signatureLength] === COMPRESSED_KEY_BYTES &&
    signature.at(-1) === HASH_TYPE &&
    hasLowS(signature)
  );
}

/** Refuses a high s: the same signature with the other s would give the transaction another id. */
function hasLowS(signature: Uint8Array): boolean {
  const sLengthAt = R_LENGTH_AT + (signature[R_LENGTH_AT] ?? 0) + 2;
  const s = toHex(signature.subarray(sLengthAt + 1, -1)).padStart(HIGHEST_S.length, '0');
  return s.length === HIGHEST_S.length && s <= HIGHEST_S;
}
