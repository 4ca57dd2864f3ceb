/** Targets of blocks in compact form, and the work that meets them (bitcoin-sv, arith_uint256.cpp and chain.cpp). */
const MANTISSA = 0x007f_ffff;
const SIGN = 0x0080_0000;
const HASHES = 1n << 256n;

/** Returns the target of compact `bits`; undefined when they encode none (zero, negative, 2^256 or more). */
export function targetOf(bits: number): bigint | undefined {
  const exponent = bits >>> 24;
  const mantissa = bits & MANTISSA;
  if ((bits & SIGN) !== 0 || mantissa === 0) return undefined;
  const target =
    exponent <= 3 ? BigInt(mantissa >> (8 * (3 - exponent))) : BigInt(mantissa) << BigInt(8 * (exponent - 3));
  return target > 0n && target < HASHES ? target : undefined;
}

/** Returns the compact form: the three highest bytes, or two if the sign bit would be set. @param target above 0 */
export function bitsOf(target: bigint): number {
  const size = Math.ceil(target.toString(16).length / 2);
  const mantissa = size <= 3 ? Number(target) << (8 * (3 - size)) : Number(target >> BigInt(8 * (size - 3)));
  const [exponent, digits] = (mantissa & SIGN) === 0 ? [size, mantissa] : [size + 1, mantissa >> 8];
  return ((exponent << 24) | digits) >>> 0;
}

/** Returns the average number of hashes to meet a target. */
export const workOf = (target: bigint): bigint => HASHES / (target + 1n);
