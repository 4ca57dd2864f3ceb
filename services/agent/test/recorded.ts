/** The recorded proofs and bundles, and the command that checks them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProofTrust } from '@sentinel-node/contracts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');

/** Whose log the recorded documents are of, and its blocks. */
export interface RecordedLog {
  readonly trust: ProofTrust;
  readonly checkpoint: { readonly height: number; readonly hash: string; readonly bits: number };
  readonly headers: string;
}

/** The recorded blocks are easy, as those of `test` never are: they are read as blocks of a network without known rules. */
const OF_TEST = /(\\?"network\\?": ?\\?")test/g;

/** Vectors of contracts, by the name of their file. */
export async function recorded<T>(name: string): Promise<T> {
  const text = await readFile(join(ROOT, 'contracts/vectors', name), 'utf8');
  return JSON.parse(text.replace(OF_TEST, '$1recorded')) as T;
}
