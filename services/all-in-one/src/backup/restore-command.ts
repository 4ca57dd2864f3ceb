import { parseOptions } from '@sentinel-node/agent/arguments';
import { operate, OPTIONS, runCommand, say } from '../operator/run.ts';
import { checkedManifest, totalsOf } from './manifest.ts';
import { folderArgument } from './one-folder.ts';
import { restore, type Restored } from './restore.ts';
import { targetFolder } from './target-folder.ts';

const HELP = `usage: sentinel restore FOLDER [--data DIR] [--json]

Puts a backup into an empty document store and an empty log, with every record at the offset that it had, then judges and
projects: heads and views are made anew. The services must not run. The master secret must be the one of the backup: give
it as SENTINEL_SECRET, or, on the embedded store, copy the file master-secret into the new data folder first. On Kafka,
make the topics first (sentinel topics).

Checked before anything is written: the manifest, the signature of it by the key of the log (manifest.sig; a backup without
one is restored, and a warning says so), the SHA-256 of each file, that this version knows each collection, that
none is missing which has to be there by the log of the backup (streams, reservations, claims, cuts, signed transactions),
the log id, the numbers of partitions and of their records, and that nothing is there. On the embedded store, a restore that
fails removes what it made. On Kafka and MongoDB, and when the command was killed, empty both stores and restore again: until
then every start is refused.

  --data DIR   the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json       the manifest of the restored backup as JSON, with isSigned, and as lacking the collections of which it has nothing
  --help       this text

Progress goes to standard error, and at its end a warning that names the collections of which the backup has nothing. Exit
code 0: restored, and not compared yet; 1: it could not be done, in one line; 2: wrong usage. Compare with sentinel audit when
the services run again (on the embedded store: before they do).
`;

/** Runs `sentinel restore`. @returns the exit code */
export async function runRestore(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  return runCommand({ name: 'restore', help: HELP }, values, () => {
    const folder = folderArgument(positionals);
    return restoreFrom(folder, values);
  });
}

async function restoreFrom(
  folder: string,
  { data, json }: { readonly data?: string | undefined; readonly json?: boolean | undefined },
): Promise<number> {
  const manifest = await checkedManifest(folder, (line) => say('restore', line));
  const target = targetFolder(data);
  try {
    return await operate({ command: 'restore', dataDir: data, isFirst: true }, async (operation) => {
      const restored = await restore(operation, folder, manifest, () => target?.claim());
      const { documents, records } = totalsOf(manifest);
      const { reads, total } = operation.counter;
      operation.counter.writeReads();
      warn(restored, operation.writeLine);
      process.stdout.write(
        json === true
          ? `${JSON.stringify({ ...manifest, ...restored, reads, total })}\n`
          : `restored: the backup of ${manifest.madeAt}: ${documents} documents of ${manifest.collections.length} collections, ${records} records of the log\n`,
      );
      return 0;
    });
  } catch (error) {
    target?.empty();
    throw error;
  }
}

/** Says at the end what the restore cannot know, which would be lost among the progress. */
function warn({ isSigned, lacking }: Restored, writeLine: (line: string) => void): void {
  if (!isSigned)
    writeLine(
      'the backup is not signed: a version before signatures made it, or somebody took manifest.sig away, and then everything in it can be changed',
    );
  if (lacking.length > 0)
    writeLine(
      `the backup has nothing of ${lacking.join(', ')}: they were empty, or the version that made it did not know them, and then what they decided is lost`,
    );
  writeLine('that documents and log say the same was not compared: sentinel audit does');
}
