/**
 * Runs `sentinel verify` many times in one process: each line of standard input is a JSON list of arguments. Prints a JSON
 * list of `{ code, out, crash }`; `crash` has the error that the command did not expect.
 */
import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { cli } from '../src/index.ts';

export interface Run {
  readonly code: number | null;
  /** Standard output. */
  readonly out: string;
  readonly crash?: string;
}

const results: Run[] = [];
let out = '';
process.stdout.write = (piece: string | Uint8Array): boolean => {
  out += piece.toString();
  return true;
};
process.stderr.write = (): boolean => true;
for (const line of (await text(process.stdin)).split('\n').filter((one) => one !== '')) {
  out = '';
  try {
    results.push({ code: await cli(['verify', ...(JSON.parse(line) as string[])], []), out });
  } catch (error) {
    results.push({ code: null, out, crash: String(error) });
  }
}
const bytes = Buffer.from(JSON.stringify(results));
for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
