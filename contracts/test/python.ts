/** Whether the tests that need Python run: without it they are listed as left out, or fail when it is required. */
import { spawnSync } from 'node:child_process';

const isHere = spawnSync('python3', ['--version']).status === 0;
const isRequired = (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes('python');

/** The option `skip` of a test that runs Python. */
export const withoutPython = isHere || isRequired ? false : 'no python3 here';
