/** Child processes of a test: their output is kept, and none outlives the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Test } from 'tap';

/** Output of a child that is kept, in characters. */
const OUTPUT_CHARACTERS = 1_000_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** undefined while it runs. */
  readonly end: () => Ended | undefined;
  /** kill -9, and waits for the end. */
  kill(): Promise<Ended>;
}

/** What a child sees of this process's environment: nothing that configures the system. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...extra };
}

/** In a process group of its own, so that `isGroupGone` sees what it leaves behind; a Ctrl-C does not reach it. */
export const OWN_GROUP = { detached: true } as const;

/** A test that is cut short runs no teardown. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export function startChild(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { readonly detached?: boolean } = {},
): Child {
  const started = spawn(process.execPath, args, {
    env: environment(env),
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(started);
  started.once('exit', () => running.delete(started));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    started[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-OUTPUT_CHARACTERS);
    });
  }
  let end: Ended | undefined;
  const ended = new Promise<Ended>((resolve, reject) => {
    started.once('error', reject);
    started.once('close', (code, signal) => resolve((end = { code, signal })));
  });
  const kill = async (): Promise<Ended> => {
    if (end === undefined) started.kill('SIGKILL');
    return ended;
  };
  t.teardown(kill);
  return {
    process: started,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    end: () => end,
    kill,
  };
}

/** No process of the child's group is left; it was started with `OWN_GROUP`. */
export function isGroupGone({ process: { pid = 0 } }: Child): boolean {
  try {
    process.kill(-pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Runs a command of Node to its end. */
export async function runChild(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startChild(t, args, env);
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}
