// Loaded into every thread of a server: writes the thread's name for `usage.mjs` (Linux only).
import { existsSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread && process.env.BENCH_THREADS !== undefined && existsSync('/proc/thread-self')) {
  const thread = basename(readlinkSync('/proc/thread-self'));
  writeFileSync(join(process.env.BENCH_THREADS, thread), basename(process.argv[1] ?? 'worker', '.js'));
}
