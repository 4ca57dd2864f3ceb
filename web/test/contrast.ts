/** Contrast of WCAG 2. A colour is red, green and blue from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Least contrast of text. Large text could have less; the console asks the same of all. */
export const TEXT_CONTRAST = 4.5;

export function contrast(one: Colour, other: Colour): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
