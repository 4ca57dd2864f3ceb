/**
 * A number with a fraction or an exponent, as the value of a member. In JSON that fits the schema no other value is a number, and
 * no name of a member ends in a backslash, so that no text within a string looks like this.
 */
const SPELLED_OTHERWISE = /(?<!\\)"\s*:\s*(-?\d+[.eE][\d.eE+-]*)/g;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** The most characters of a number that is not written as an integer. */
const MOST_CHARACTERS = 40;

/**
 * Returns whether each number is exactly the integer that JSON.parse makes of it: `1795255200000001.1` gives 1795255200000001 here
 * and another number to a reader who does not round. @param text JSON in which all numbers are read as safe integers
 */
export function holdsExactNumbers(text: string): boolean {
  for (const [, number = ''] of text.matchAll(SPELLED_OTHERWISE)) if (!isExact(number)) return false;
  return true;
}

function isExact(number: string): boolean {
  if (number.length > MOST_CHARACTERS) return false;
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return true;
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  return (
    zeros >= 0 &&
    zeros < MOST_CHARACTERS &&
    `${significant}${'0'.repeat(zeros)}` === String(Math.abs(Number(number)))
  );
}
