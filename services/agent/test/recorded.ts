/** Recorded proofs and bundles, and the command that checks them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProofTrust } from '@sentinel-node/contracts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');

/** Trust and blocks of the recorded documents' log. */
export interface RecordedLog {
  readonly trust: ProofTrust;
  readonly checkpoint: { readonly height: number; readonly hash: string; readonly bits: number };
  readonly headers: string;
}

/** The recorded blocks are easier than `test` allows, so they are read as blocks of a network without known rules. */
const OF_TEST = /(\\?"network\\?": ?\\?")test/g;

/** Reads a vector file of contracts. */
export async function recorded<T>(name: string): Promise<T> {
  const text = await readFile(join(ROOT, 'contracts/vectors', name), 'utf8');
  return JSON.parse(text.replace(OF_TEST, '$1recorded')) as T;
}
