import type { Stats } from 'node:fs';

/** Stats that change with every change of a file. */
export type Stamp = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;

/** Returns whether a file is unchanged between two looks at its stats. */
export const isSame = (a: Stamp, b: Stamp): boolean =>
  a.ctimeMs === b.ctimeMs &&
  a.mtimeMs === b.mtimeMs &&
  a.size === b.size &&
  a.ino === b.ino &&
  a.dev === b.dev;

/** Returns only the stamp, which takes less memory than the stats. */
export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Stamp => {
  return { dev, ino, size, mtimeMs, ctimeMs };
};
