/** Resources that this process uses: processor time (µs, by thread where the system counts it), memory (bytes), open files and sockets. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HANDLES = '/proc/self/fd';
const TASKS = '/proc/self/task';
const NANOSECONDS_PER_MICROSECOND = 1_000;

export function usage() {
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    cpu: user + system,
    threads: threadTimes(),
    rss: process.memoryUsage.rss(),
    maxRss: process.resourceUsage().maxRSS * 1_024,
    handles: existsSync(HANDLES) ? readdirSync(HANDLES).length : 0,
  };
}

/** Returns times by the names that `thread-name.mjs` wrote; other threads (garbage collector, compiler, pool) together. */
function threadTimes() {
  const times = {};
  if (!existsSync(`${TASKS}/${process.pid}/schedstat`)) return times;
  for (const thread of readdirSync(TASKS)) {
    const name = thread === String(process.pid) ? 'main' : nameOf(thread);
    times[name] = (times[name] ?? 0) + timeOf(thread);
  }
  return times;
}

function nameOf(thread) {
  const file = join(process.env.BENCH_THREADS ?? '', thread);
  return process.env.BENCH_THREADS !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : 'engine';
}

/** Returns 0 for a thread that ended after it was listed. */
function timeOf(thread) {
  try {
    return (
      Number(readFileSync(`${TASKS}/${thread}/schedstat`, 'utf8').split(' ')[0]) / NANOSECONDS_PER_MICROSECOND
    );
  } catch {
    return 0;
  }
}

/** Returns µs of processor time between two measurements, in all and by thread, and the memory at the later one. */
export function used(before, after) {
  const threads = Object.fromEntries(
    Object.entries(after.threads).map(([name, time]) => [name, time - (before.threads[name] ?? 0)]),
  );
  return { cpu: after.cpu - before.cpu, threads, rss: after.rss, maxRss: after.maxRss };
}
