/** Makes the stats of the file that SENTINEL_TEST_STUCK names never come, links followed: a look at a link hangs. */
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const stuck = process.env['SENTINEL_TEST_STUCK'] ?? '';
const { stat } = promises;

Object.assign(promises, {
  stat: (path: string, ...more: []) => (path === stuck ? new Promise(() => undefined) : stat(path, ...more)),
});
syncBuiltinESMExports();
