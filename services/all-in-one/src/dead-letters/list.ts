import type { ParkedFile } from './parked-files.ts';

/** Returns a parked file in the form of `--json`. */
export function parkedFileJson({ key, parked, first }: ParkedFile) {
  const { letters, replayed, cause } = parked;
  const { topic, partition, offset } = first;
  return {
    file: key,
    waiting: letters - replayed,
    letters,
    replayed,
    cause,
    judgedUpTo: first.judgedUpTo === null ? null : new Date(first.judgedUpTo).toISOString(),
    source: { topic, partition, offset },
  };
}

const COLUMNS = ['FILE', 'WAITING', 'JUDGED UP TO', 'CAUSE'] as const;

/** Returns a table for the operator. */
export function table(files: readonly ParkedFile[]): string {
  if (files.length === 0) return 'no file is parked\n';
  const rows = files.map((file) => {
    const { waiting, judgedUpTo, cause, file: name } = parkedFileJson(file);
    return [name, String(waiting), judgedUpTo ?? 'never', cause];
  });
  const widths = COLUMNS.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return `${[line(COLUMNS), ...rows.map(line)].join('\n')}\n`;
}
