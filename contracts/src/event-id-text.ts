/** Converts event ids between 16 bytes and 26 digits of Crockford base 32. */
import { asciiText } from '#text';

export const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CROCKFORD_CODES = Uint8Array.from(CROCKFORD, (digit) => digit.charCodeAt(0));
const ID_BYTES = 16;
const ID_LENGTH = 26;
const NO_DIGIT = 0x20;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < CROCKFORD.length; digit++) DIGITS[CROCKFORD_CODES[digit]!] = digit;
const idCodes = new Uint8Array(ID_LENGTH);

/** Writes the 16 bytes of an id into `target` at `offset`. @returns false, after writing any bytes, for another `id` */
export function eventIdInto(id: string, target: Uint8Array, offset: number): boolean {
  if (id.length !== ID_LENGTH) return false;
  let at = offset;
  let seen = 0;
  let pending = 0;
  // The first digit holds two zero bits before the 128.
  let pendingBits = ID_BYTES * 8 - ID_LENGTH * 5;
  for (let i = 0; i < ID_LENGTH; i++) {
    const code = id.charCodeAt(i);
    const digit = code < 128 ? DIGITS[code]! : NO_DIGIT;
    seen |= digit;
    if (i === 0) seen |= digit > 7 ? NO_DIGIT : 0;
    pending = ((pending << 5) | digit) & 0xfff;
    pendingBits += 5;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    target[at++] = pending >> pendingBits;
  }
  return seen < NO_DIGIT;
}

/** The text of the 16 bytes of an id at `offset`: 26 digits, the most significant bit first. */
export function eventIdText(bytes: Uint8Array, offset: number): string {
  let at = 0;
  let pending = 0;
  // 128 bits in 26 digits of 5: the first digit holds two zero bits more.
  let pendingBits = ID_LENGTH * 5 - ID_BYTES * 8;
  for (let i = 0; i < ID_BYTES; i++) {
    pending = ((pending << 8) | bytes[offset + i]!) & 0xfff;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      idCodes[at++] = CROCKFORD_CODES[(pending >> pendingBits) & 31]!;
    }
  }
  return asciiText(idCodes, 0, ID_LENGTH);
}
