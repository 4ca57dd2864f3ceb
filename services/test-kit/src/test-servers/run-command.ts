import { execFile, spawnSync } from 'node:child_process';

const OUTPUT_BYTES = 10 * 1_048_576;
const COMMAND_DEADLINE_MS = 300_000;

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

/** Returns whether a command can be run and succeeds. */
export function isCommandUsable(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}
