#!/usr/bin/env node
// Writes the tables of pools into docs/limits.md from the services' `pools.ts`; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/prepare.mjs';

const FILE = join(root, 'docs/limits.md');
const PARTS = {
  Ingestion: [['services/ingestion', 'INGESTION_POOLS']],
  Query: [['services/query', 'QUERY_POOLS']],
  'Judging and anchoring': [
    ['services/chain-verifier', 'VERIFIER_POOLS'],
    ['services/anchoring', 'ANCHORING_POOLS'],
  ],
  'Every service': [['services/platform', 'PLATFORM_POOLS']],
};
const BEGIN = '<!-- pools -->';
const END = '<!-- /pools -->';

/** Every pool by part of the page. */
export async function allPools() {
  const parts = [];
  for (const [title, places] of Object.entries(PARTS)) {
    const pools = [];
    for (const [folder, name] of places) {
      const module = await import(pathToFileURL(join(root, folder, 'dist/src/pools.js')).href);
      pools.push(...Object.values(module[name]));
    }
    parts.push({ title, pools });
  }
  return parts;
}

/** docs/limits.md with the tables in their place. */
export async function withPools(text) {
  const { poolTable } = await import(pathToFileURL(join(root, 'services/platform/dist/src/index.js')).href);
  const parts = (await allPools()).map(({ title, pools }) => `## ${title}\n\n${poolTable(pools)}`);
  const [before, rest] = text.split(BEGIN);
  const [, after] = rest.split(END);
  return `${before}${BEGIN}\n\n${parts.join('\n')}\n${END}${after}`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const text = readFileSync(FILE, 'utf8');
  const wanted = await withPools(text);
  if (process.argv.includes('--check')) process.exit(wanted === text ? 0 : 1);
  writeFileSync(FILE, wanted);
}
