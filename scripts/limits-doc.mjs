#!/usr/bin/env node
// Writes the tables of pools into docs/limits.md from the services' `pools.ts`; --check only compares.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { betweenMarks, keepPage } from './lib/between-marks.mjs';
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

/** Returns every pool by part of the page. */
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

/** Returns docs/limits.md with the tables in their place. */
export async function withPools(text) {
  const { poolTable } = await import(pathToFileURL(join(root, 'services/platform/dist/src/index.js')).href);
  const parts = (await allPools()).map(({ title, pools }) => `## ${title}\n\n${poolTable(pools)}`);
  return betweenMarks('pools', text, `\n${parts.join('\n')}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await keepPage(FILE, withPools);
