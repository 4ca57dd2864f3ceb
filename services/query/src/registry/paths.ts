import { posix, win32 } from 'node:path';
import { isWindowsPath, pathOn } from '@sentinel-node/contracts';

/**
 * Returns one spelling for all spellings of a path: resolved against the device's working directory, without
 * `.` and `..`, and in lower case for Windows paths.
 */
export function normalisedPath(workingDirectory: string, path: string): string {
  const whole = pathOn(workingDirectory, path);
  if (isWindowsPath(path) || isWindowsPath(workingDirectory)) return win32.normalize(whole).toLowerCase();
  return posix.normalize(whole);
}
