/** Finds the libraries of platform that a service has loaded, so that a preload can change their limits. */
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A bundled program has its own copy of these modules in its folder. */
const folder = dirname(process.argv[1] ?? '');

/** Returns what to import for `@sentinel-node/platform/LIBRARY`. */
export const libraryOf = (library: string): string =>
  basename(folder) === 'bundle'
    ? pathToFileURL(join(folder, `${library}.js`)).href
    : `@sentinel-node/platform/${library}`;
