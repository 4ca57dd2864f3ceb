import { posix, win32, type PlatformPath } from 'node:path';
import { isWindowsPath, pathOn } from '@sentinel-node/contracts';

/**
 * Returns one spelling for all spellings of a path: resolved against the device's working directory, without
 * `.`, `..` and a separator at the end, as the agent looks at it, and in lower case for Windows paths.
 */
export function normalisedPath(workingDirectory: string, path: string): string {
  const whole = pathOn(workingDirectory, path);
  if (isWindowsPath(path) || isWindowsPath(workingDirectory)) return normalised(whole, win32).toLowerCase();
  return normalised(whole, posix);
}

function normalised(path: string, paths: PlatformPath): string {
  const short = paths.normalize(path);
  const hasEnd = short.endsWith(paths.sep) && short.length > paths.parse(short).root.length;
  return hasEnd ? short.slice(0, -1) : short;
}
