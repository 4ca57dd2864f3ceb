import { parseArgs } from 'node:util';
import { operate, OPTIONS, runCommand } from '../operator/run.ts';
import { folderArgument } from './one-folder.ts';
import { restore } from './restore.ts';

const HELP = `usage: sentinel restore FOLDER [--data DIR] [--json]

Puts a backup into an empty document store and an empty log, with every record at the offset that it had, then judges and
projects: heads and views are made anew. The services must not run. The master secret must be the one of the backup: give
it as SENTINEL_SECRET, or, on the embedded store, copy the file master-secret into the new data folder first. On Kafka,
make the topics first (sentinel topics).

Everything is checked before anything is written: the manifest, the SHA-256 of each file, the log id, the numbers of
partitions, and that nothing is there. If it fails later, empty both stores and restore again.

  --data DIR   the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json       the manifest of the restored backup as JSON
  --help       this text

Progress goes to standard error. Exit code 0: restored; 1: it could not be done, in one line; 2: wrong usage. Compare
with sentinel audit when the services run again (on the embedded store: before they do).
`;

/** Runs `sentinel restore`. @returns the exit code */
export async function runRestore(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  return runCommand({ name: 'restore', help: HELP }, values, () => {
    const folder = folderArgument(positionals);
    return operate({ command: 'restore', dataDir: values.data, isFirst: true }, async (operation) => {
      const manifest = await restore(operation, folder);
      operation.counter.writeReads();
      process.stdout.write(
        values.json === true
          ? `${JSON.stringify({ ...manifest, reads: operation.counter.reads, total: operation.counter.total })}\n`
          : `restored: the backup of ${manifest.madeAt}\n`,
      );
      return 0;
    });
  });
}
