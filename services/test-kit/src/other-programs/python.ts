import { spawnSync } from 'node:child_process';
import { isRequired } from '../test-servers/required.ts';

/** Returns the option `skip` of a test that runs Python: false where `SENTINEL_TEST_REQUIRE` names `python`, so that a missing one fails the test. */
export const skipWithoutPython = (): string | false =>
  spawnSync('python3', ['--version']).status !== 0 && !isRequired('python') && 'python3 is not installed';
