#!/usr/bin/env node
// Prints the licence of every package that runs in production, with its text; ends with 1 when a package names none.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/prepare.mjs';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Returns the third-party packages that the lock file installs for production. */
export function productionPackages(lock) {
  return Object.entries(lock.packages)
    .filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.devOptional && !entry.link,
    )
    .filter(([path]) => existsSync(join(root, path, 'package.json')))
    .map(([path]) => noticeOf(path))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function noticeOf(path) {
  const folder = join(root, path);
  const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return { name, version, licence: license ?? licenses?.map(({ type }) => type).join(' OR '), text };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const packages = productionPackages(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  for (const { name, version, licence, text } of packages)
    process.stdout.write(
      `${'='.repeat(72)}\n${name} ${version}: ${licence ?? 'no licence named'}\n\n${text}\n\n`,
    );
  const nameless = packages.filter(({ licence }) => licence === undefined);
  process.stderr.write(`${packages.length} packages; without a licence: ${nameless.length}\n`);
  process.exitCode = nameless.length === 0 ? 0 : 1;
}
