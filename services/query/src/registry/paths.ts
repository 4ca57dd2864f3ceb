import { posix, win32 } from 'node:path';
import { isWindowsPath, pathOn } from '@sentinel-node/contracts';

/**
 * One spelling for every way to write the path of a file: relative ones are taken against the device's working
 * directory, `.` and `..` are resolved, and Windows paths compare without regard to case.
 */
export function normalisedPath(workingDirectory: string, path: string): string {
  const whole = pathOn(workingDirectory, path);
  if (isWindowsPath(path) || isWindowsPath(workingDirectory)) return win32.normalize(whole).toLowerCase();
  return posix.normalize(whole);
}
