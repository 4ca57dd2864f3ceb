/** Body of the thread that compiles expressions: one question, one answer. */
import { parentPort } from 'node:worker_threads';
import { RE2JS } from 're2js';
import { REGEXP_WORK } from './limits.ts';

const NAME = 'x'.repeat(REGEXP_WORK.triedCharacters);

function isRe2(pattern: string): boolean {
  try {
    RE2JS.compile(pattern).matches(NAME);
    return true;
  } catch {
    return false;
  }
}

// Warms up, so that the first expression does not wait for loading.
isRe2('(a|b)[0-9]{2,3}\\pL?');
parentPort!.on('message', (pattern: string) => parentPort!.postMessage(isRe2(pattern)));
parentPort!.postMessage('ready');
