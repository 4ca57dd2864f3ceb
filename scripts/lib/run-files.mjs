// Runs test files, each as `node FILE`, and adds up their results. The files use tap as their library; its runner would
// put two module loaders into every process of a test, those of the services included, which costs more than the tests.
import { spawn } from 'node:child_process';
import { availableParallelism, cpus, freemem } from 'node:os';
import { root } from './prepare.mjs';

/** The limit of a file that sets none of its own, in seconds; only ends a file that hangs. */
const FILE_SECONDS = 900;
/** Time from the limit of a file to its kill, in which it lists its open handles and ends; milliseconds. */
const GRACE_MS = 15_000;
/** Length of a file's standard error that is kept, in characters. */
const STDERR_CHARACTERS = 20_000;

/** Time between two looks at the processors, in milliseconds. */
const LOOK_MS = 1_000;
/** Share of our processors that may have been busy since the last look, with whatever work, when one more file starts. */
const BUSY_SHARE = 0.9;
/** Memory that must be free before one more file starts, in bytes: a file can start a broker, a store and ten services. */
const FREE_BYTES = 3 * 1_073_741_824;

/**
 * Runs test files in the given order.
 * @param files paths from the root, `jobs` at a time
 * @param onEnd called with each result when its file ends
 * @param graceMs between a file's own limit and its kill, in milliseconds
 * @param more most files beside the `jobs`. Tests wait for timers and outages, so one more file starts whenever processors
 * were idle.
 * @param canStartMore replaces the look at processors and memory, in tests
 * @param isHeavy names files of which one runs at a time: systems under load, whose work grows with the time that they take
 * @returns in the order of their ends: { file, ok, passed, failed, skipped, seconds, text }, text being TAP
 */
export async function runFiles(files, jobs, options = {}) {
  const { onEnd = () => undefined, graceMs = GRACE_MS, more = 0, lookMs = LOOK_MS } = options;
  const { canStartMore = idleMachine(), isHeavy = () => false } = options;
  const left = [...files];
  const running = new Set();
  const working = new Set();
  const results = [];
  let heavy = 0;
  const work = async (file) => {
    const weight = isHeavy(file) ? 1 : 0;
    heavy += weight;
    const result = await runFile(file, running, graceMs);
    heavy -= weight;
    results.push(result);
    onEnd(result);
  };
  /** Starts the first file that may run now. @returns false when there is none */
  const start = () => {
    const at = left.findIndex((file) => heavy === 0 || !isHeavy(file));
    if (at < 0) return false;
    const one = work(...left.splice(at, 1)).finally(() => working.delete(one));
    working.add(one);
    return true;
  };
  const stop = (signal) => {
    left.length = 0;
    for (const child of running) child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  const look = () => {
    // Each look measures the time since the last one.
    const canStart = canStartMore();
    if (canStart && working.size < jobs + more) start();
  };
  const looks = more > 0 ? setInterval(look, lookMs) : undefined;
  try {
    while (left.length > 0 || working.size > 0) {
      while (working.size < jobs && start());
      await Promise.race(working);
    }
  } finally {
    clearInterval(looks);
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  }
  return results;
}

const MACHINE = {
  /** Times of each processor of the machine, of which this process may have few. */
  times: () => cpus().map(({ times }) => times),
  ours: availableParallelism(),
  freeBytes: () => process.availableMemory?.() ?? freemem(),
};

/** Returns a function that says whether processors were idle since its last call, and memory is free. */
export function idleMachine({ times, ours, freeBytes } = MACHINE) {
  const sums = () =>
    times().map((one) => ({ idle: one.idle, all: Object.values(one).reduce((a, b) => a + b, 0) }));
  let before = sums();
  return () => {
    const now = sums();
    // A processor that came since the last call has no time before; it counts from the next call on.
    const shares = now
      .slice(0, before.length)
      .map(({ idle, all }, at) => 1 - (idle - before[at].idle) / Math.max(1, all - before[at].all));
    before = now;
    return shares.reduce((a, b) => a + b, 0) <= BUSY_SHARE * ours && freeBytes() >= FREE_BYTES;
  };
}

async function runFile(file, running, graceMs) {
  const began = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: root,
    // The file sends the limit that it has set for itself through the channel.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, TAP_TIMEOUT: String(FILE_SECONDS) },
  });
  running.add(child);
  const limit = limitOf(child, graceMs);
  let text = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (data) => (text += data));
  child.stderr.setEncoding('utf8').on('data', (data) => (stderr = (stderr + data).slice(-STDERR_CHARACTERS)));
  const end = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
  });
  limit.clear();
  running.delete(child);
  const seconds = (performance.now() - began) / 1000;
  return {
    file,
    seconds,
    ...judge(file, text, limit.passed() ? 'did not end within its limit' : end, stderr),
  };
}

/** Kills the child some time after the limit that it has set for itself has passed. */
function limitOf(child, graceMs) {
  let passed = false;
  let timer;
  const set = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      passed = true;
      child.kill('SIGKILL');
    }, ms + graceMs);
  };
  set(FILE_SECONDS * 1000);
  // A limit of 0 means that the tests are over; the process must still end.
  child.on('message', (message) => message?.setTimeout > 0 && set(message.setTimeout));
  return { clear: () => clearTimeout(timer), passed: () => passed };
}

/**
 * Plan of a subtest whose assertions tap could not read, for instance because of U+2028 in a message: tap then counts the subtest
 * as passed. A subtest without any assertion has no comment there.
 */
const UNREAD = /^ *1\.\.0 # no tests found$/m;

/**
 * The result of a file. A file without closing totals, without tests, with assertions that tap could not read, or with a bad end
 * counts as a failure.
 * @param end why the process ended badly; undefined when it ended well
 */
function judge(file, text, end, stderr) {
  const { total, passed, failed, skipped } = count(text);
  const isUnread = UNREAD.test(text);
  if (end === undefined && total > 0 && failed === 0 && !isUnread)
    return { ok: true, passed, failed, skipped, text };
  const reason = end ?? (isUnread ? 'tap cannot read an assertion of a subtest' : 'no test ran');
  const said = stderr === '' ? '' : `${stderr.trimEnd().replace(/^/gm, '# ')}\n`;
  const more = failed > 0 ? said : `not ok - ${file}: ${reason}\n${said}`;
  return { ok: false, passed, failed: Math.max(1, failed), skipped, text: text + more };
}

/** Reads the closing totals that tap writes: `# { total: 4, pass: 2, fail: 1, skip: 1 }`. */
function count(tapText) {
  const closing = [...tapText.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? '';
  const of = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(closing)?.[1] ?? 0);
  return { total: of('total'), passed: of('pass'), failed: of('fail'), skipped: of('skip') + of('todo') };
}
