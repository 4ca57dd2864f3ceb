/**
 * Runs `sentinel verify` many times in one process: each line of standard input is a JSON list of arguments. Prints a JSON
 * list of `{ code, out, crash }`; `crash` has the error that the command did not expect.
 */
import { text } from 'node:stream/consumers';
import { cli } from '../src/index.ts';

export interface Run {
  readonly code: number | null;
  /** Standard output. */
  readonly out: string;
  readonly crash?: string;
}

const results: Run[] = [];
const print = process.stdout.write.bind(process.stdout);
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
print(JSON.stringify(results));
