const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** Whether a path is a whole one of Windows: with a drive, or of a share. */
export function isWindowsPath(path: string): boolean {
  return WINDOWS.test(path);
}

/** Where a file is: a relative path is taken against the working directory, which decides as much which file is meant. */
export function pathOn(workingDirectory: string, path: string): string {
  const onWindows = isWindowsPath(workingDirectory);
  const isWhole = path.startsWith('/') || isWindowsPath(path) || (onWindows && path.startsWith('\\'));
  if (isWhole || workingDirectory === '') return path;
  const endsOpen = workingDirectory.endsWith('/') || (onWindows && workingDirectory.endsWith('\\'));
  const separator = onWindows ? '\\' : '/';
  return `${workingDirectory}${endsOpen ? '' : separator}${path}`;
}
