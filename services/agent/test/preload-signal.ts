/** Sends the process the signal SENTINEL_TEST_SIGNAL at the first call of the function of node:os that SENTINEL_TEST_AT names. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const signal = process.env['SENTINEL_TEST_SIGNAL'] as NodeJS.Signals;
const at = process.env['SENTINEL_TEST_AT'] as 'hostname' | 'setPriority';
const call: (...args: never[]) => unknown = os[at];
let isSent = false;

Object.assign(os, {
  [at]: (...args: never[]) => {
    if (!isSent) process.kill(process.pid, signal);
    isSent = true;
    return call(...args);
  },
});
syncBuiltinESMExports();
