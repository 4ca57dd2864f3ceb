/** The installed agent as a process, and its use as the system counts it (Linux). */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/prepare.mjs';

const SENTINEL = join(root, 'services/agent/bin/sentinel.mjs');
const NANOSECONDS_PER_SECOND = 1e9;
const KIB_PER_MIB = 1_024;
const running = new Set();

/** @param {string[]} args of `sentinel agent` @param {{env?: object}} options added to the environment */
export function startAgent(args, { env = {} } = {}) {
  const child = spawn(process.execPath, [SENTINEL, 'agent', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = `${said}${text}`.slice(-2_000)));
  const ended = new Promise((resolve) =>
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    }),
  );
  return {
    pid: child.pid,
    said: () => said,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

export function killAgents() {
  for (const child of running) child.kill('SIGKILL');
}

/** Seconds of processor time so far, and MiB in memory, now and at the peak. */
export function usageOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]));
  const status = read(`/proc/${pid}/status`);
  const mib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / KIB_PER_MIB;
  return {
    seconds: nanoseconds.reduce((sum, one) => sum + one, 0) / NANOSECONDS_PER_SECOND,
    rssMiB: mib('VmRSS'),
    peakMiB: mib('VmHWM'),
  };
}

/** A thread can end between the listing and the look. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
}
