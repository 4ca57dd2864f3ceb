import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const OUTPUT_BYTES = 10 * 1_048_576;
/** Only ends a command that hangs, in ms: a first download on a slow line takes minutes. */
const COMMAND_DEADLINE_MS = 900_000;

/** Most tries of a download: a single fault of the network must fail no test. */
const DOWNLOAD_TRIES = 3;
const DOWNLOAD_PAUSE_MS = 10_000;

/** Returns the standard output of a command. @throws Error with the last lines of its output */
export function runCommand(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const options = { maxBuffer: OUTPUT_BYTES, timeout: COMMAND_DEADLINE_MS, ...(cwd && { cwd }) };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} failed: ${(stderr || stdout || error.message).slice(-2_000)}`));
    });
  });
}

/**
 * Returns the standard output of a command that downloads, and that may be run again after it has failed.
 * @throws Error with the last lines of its output when every try fails
 */
export async function runDownload(
  command: string,
  args: readonly string[],
  cwd?: string,
  pauseMs = DOWNLOAD_PAUSE_MS,
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runCommand(command, args, cwd);
    } catch (error) {
      if (tries === DOWNLOAD_TRIES) throw error;
      await pause(pauseMs);
    }
  }
}

/** Returns whether a command can be run and succeeds. */
export function isCommandUsable(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}
