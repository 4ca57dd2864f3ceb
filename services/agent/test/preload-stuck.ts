/**
 * Makes the stats of the files that SENTINEL_TEST_STUCK names (comma between them) never come, links followed: a look at a link hangs.
 * SENTINEL_TEST_STUCK_CALLS names a file that gets a byte for each such call.
 */
import { appendFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const stuck = new Set(process.env['SENTINEL_TEST_STUCK']?.split(','));
const calls = process.env['SENTINEL_TEST_STUCK_CALLS'];
const { stat } = promises;

Object.assign(promises, {
  stat: (path: string, ...more: []) => {
    if (!stuck.has(path)) return stat(path, ...more);
    if (calls !== undefined) appendFileSync(calls, '.');
    return new Promise(() => undefined);
  },
});
syncBuiltinESMExports();
