import { isAbsolute, relative, resolve, sep } from 'node:path';
import { parseOptions } from '@sentinel-node/agent/arguments';
import { configOf, operate, OPTIONS, runCommand } from '../operator/run.ts';
import { totalsOf } from './manifest.ts';
import { folderArgument } from './one-folder.ts';
import { backUp } from './backup.ts';
import { BackupError } from './errors.ts';
import { folderToFill } from './target-folder.ts';

const HELP = `usage: sentinel backup FOLDER [--without-log] [--data DIR] [--json]

Writes what is not a view into an empty folder: streams, claims, reservations, cuts, signed transactions, …, and the
durable topics of the log, as compressed lines of JSON with a manifest of counts and SHA-256, which the key of the log signs
(manifest.sig). Views are left out, they
follow from the log; so are sessions: people sign in again after a restore. The master secret is not in it: keep
SENTINEL_SECRET, or the file master-secret of the data folder, in another place. Who can read a backup can read names,
e-mail addresses and reports.

On Kafka and MongoDB (SENTINEL_KAFKA_BROKERS, SENTINEL_MONGODB_URL, SENTINEL_SECRET) the services go on meanwhile. On the
embedded store the system must be stopped.

  --without-log   leave the topics out, where Kafka is mirrored in another way; such a backup fits only a log that ends
                  exactly where it ended when the backup was made, so stop the services before both
  --data DIR      the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json          the manifest as JSON; unknown: the collections of which it has nothing, because this version does not know them
  --help          this text

Progress goes to standard error, and at its end a warning that names collections of the store that this version does not know.
Exit code 0: the backup is on the disk, with all that this version knows; 1: it could not be made, in one line, and
what was written of it is removed; 2: wrong usage.
`;

/** Runs `sentinel backup`. @returns the exit code */
export async function runBackup(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...OPTIONS,
      'without-log': { type: 'boolean' },
    },
  });
  return runCommand({ name: 'backup', help: HELP }, values, () => {
    const folder = folderArgument(positionals);
    return backUpTo(folder, values);
  });
}

async function backUpTo(
  folder: string,
  {
    data,
    json,
    'without-log': withoutLog,
  }: { readonly data?: string; readonly json?: boolean; readonly 'without-log'?: boolean },
): Promise<number> {
  assertBeside(folder, data);
  const target = folderToFill(folder);
  try {
    return await operate({ command: 'backup', dataDir: data }, async (operation) => {
      const options = { folder, withLog: withoutLog !== true, onEmpty: () => target.claim() };
      const { manifest, unknown } = await backUp(operation, options);
      const { documents, records } = totalsOf(manifest);
      const { reads, total } = operation.counter;
      operation.counter.writeReads();
      if (unknown.length > 0)
        operation.writeLine(
          `the backup has nothing of ${unknown.join(', ')}, which this version does not know: if a later version made that, back up with it, or what it decided is lost`,
        );
      process.stdout.write(
        json === true
          ? `${JSON.stringify({ ...manifest, unknown, reads, total })}\n`
          : `backup: ${documents} documents of ${manifest.collections.length} collections, ${records} records of the log\n`,
      );
      return 0;
    });
  } catch (error) {
    target.empty();
    throw error;
  }
}

/** @throws BackupError the folder is in the data folder, or is it: whatever takes the data would take the backup */
function assertBeside(folder: string, dataDir: string | undefined): void {
  const config = configOf(dataDir);
  if (config.store.kind !== 'embedded') return;
  const way = relative(resolve(config.dataDir), resolve(folder));
  if (way.split(sep)[0] === '..' || isAbsolute(way)) return;
  throw new BackupError(
    `${folder} is in the data folder ${config.dataDir}: name a folder elsewhere, best on another disk`,
  );
}
