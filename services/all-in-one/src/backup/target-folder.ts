/** Folders that a command fills: a backup's, and the data folder of the embedded store for a restore. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasDocuments } from '@sentinel-node/platform';
import { configOf } from '../operator/run.ts';

export interface TargetFolder {
  /** Called when the folder, or the stores in it, were found empty: what came since then is this process's own. */
  claim(): void;
  /** Removes what came since the folder was looked at; does nothing without a claim. Nothing may write there any more. */
  empty(): void;
}

/** Looks at the folder before anything is opened. @returns undefined on Kafka and MongoDB, and where documents are */
export function targetFolder(dataDir: string | undefined): TargetFolder | undefined {
  const config = configOf(dataDir);
  const path = config.dataDir;
  return config.store.kind !== 'embedded' || hasDocuments(path) ? undefined : folderToFill(path);
}

/** Looks at a folder that may be missing. */
export function folderToFill(path: string): TargetFolder {
  const wasThere = existsSync(path);
  const before = new Set(wasThere ? readdirSync(path) : []);
  let isOurs = false;
  return {
    claim: () => {
      isOurs = true;
    },
    empty: () => {
      if (!isOurs) return;
      for (const name of readdirSync(path))
        if (!before.has(name)) rmSync(join(path, name), { recursive: true, force: true });
      if (!wasThere) rmdirSync(path);
    },
  };
}
