/** The packaged agent as a process, and the processor time and memory that it uses (Linux). */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTree } from '../package/tree.mjs';

/** The executable in the files of a package. */
const EXECUTABLE = 'usr/lib/sentinel-agent/sentinel';
/** Clock ticks of proc(5), on all processors that Node is built for. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1_024;
const running = new Set();

/** Packages the agent as `npm run package:agent` does. @returns its executable */
export async function packageAgent(folder) {
  await makeTree(folder, '0.0.0');
  return join(folder, EXECUTABLE);
}

/** @param {string} sentinel the executable @param {string[]} args of `sentinel agent` @param {{env?: object}} options added to the environment */
export function startAgent(sentinel, args, { env = {} } = {}) {
  const child = spawn(sentinel, ['agent', ...args], {
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

/** Returns seconds of processor time, ended threads included, and MiB in memory, now and at the peak; undefined when ended. */
export function usageOf(pid) {
  const [stat, status] = [read(`/proc/${pid}/stat`), read(`/proc/${pid}/status`)];
  if (stat === undefined || status === undefined) return undefined;
  const [user, system] = stat
    .slice(stat.lastIndexOf(') ') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const mib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / KIB_PER_MIB;
  return { seconds: (user + system) / TICKS_PER_SECOND, rssMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
