import { posix, win32 } from 'node:path';

const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/**
 * One spelling for every way to write the path of a file: relative ones are taken against the device's working
 * directory, `.` and `..` are resolved, and Windows paths compare without regard to case.
 */
export function normalisedPath(workingDirectory: string, path: string): string {
  if (WINDOWS.test(path) || WINDOWS.test(workingDirectory)) {
    const whole = win32.isAbsolute(path) ? path : win32.join(workingDirectory, path);
    return win32.normalize(whole).toLowerCase();
  }
  return posix.normalize(posix.isAbsolute(path) ? path : posix.join(workingDirectory, path));
}
