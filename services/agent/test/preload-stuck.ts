/** Makes the stats of the files that SENTINEL_TEST_STUCK names (comma between them) never come, links followed: a look at a link hangs. */
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const stuck = new Set(process.env['SENTINEL_TEST_STUCK']?.split(','));
const { stat } = promises;

Object.assign(promises, {
  stat: (path: string, ...more: []) => (stuck.has(path) ? new Promise(() => undefined) : stat(path, ...more)),
});
syncBuiltinESMExports();
