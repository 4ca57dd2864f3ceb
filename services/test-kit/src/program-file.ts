import { fileURLToPath } from 'node:url';

/** Returns the path of a program in another language, which lies in the package's folder `programs`. */
export const programFile = (name: string): string =>
  fileURLToPath(new URL(`../../programs/${name}`, import.meta.url));
