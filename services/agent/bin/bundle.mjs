import { existsSync, readdirSync, statSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);
const FOLDER = new URL('services/all-in-one/dist/bundle/', ROOT);

/**
 * Returns the URL of the folder of bundled programs; undefined when the bundle is not made, or older than a compiled
 * package: a compilation alone does not renew the bundle.
 */
export function bundleFolder() {
  const made = timeOf(new URL('sentinel.js', FOLDER));
  if (made === undefined) return undefined;
  const services = new URL('services/', ROOT);
  const packages = [
    new URL('contracts/', ROOT),
    ...(existsSync(services) ? readdirSync(services) : []).map((name) => new URL(`${name}/`, services)),
  ];
  const compiled = packages.map((folder) => timeOf(new URL('dist/tsconfig.tsbuildinfo', folder)) ?? 0);
  return Math.max(...compiled) > made ? undefined : FOLDER;
}

/** When the file was written, in milliseconds since 1970; undefined without the file. */
const timeOf = (url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs;
