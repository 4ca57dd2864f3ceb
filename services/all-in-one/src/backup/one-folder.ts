import { UsageError } from '../operator/run.ts';

/** Returns the only argument of `backup` and `restore`. @throws UsageError */
export function folderArgument([folder, ...more]: readonly string[]): string {
  if (folder === undefined || more.length > 0) throw new UsageError('takes one folder');
  return folder;
}
