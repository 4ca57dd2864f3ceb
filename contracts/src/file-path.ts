const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** Whether a path is an absolute Windows path: with a drive, or of a share. */
export function isWindowsPath(path: string): boolean {
  return WINDOWS.test(path);
}

/** Returns the location of a file. A relative path starts at the working directory, so a new directory is a new file. */
export function pathOn(workingDirectory: string, path: string): string {
  const onWindows = isWindowsPath(workingDirectory);
  const isWhole = path.startsWith('/') || isWindowsPath(path) || (onWindows && path.startsWith('\\'));
  if (isWhole || workingDirectory === '') return path;
  const endsOpen = workingDirectory.endsWith('/') || (onWindows && workingDirectory.endsWith('\\'));
  const separator = onWindows ? '\\' : '/';
  return `${workingDirectory}${endsOpen ? '' : separator}${path}`;
}
