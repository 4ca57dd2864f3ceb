/** Changes the folder of a backup, as somebody could who may write there and has no master secret. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { BackupManifest } from '@sentinel-node/contracts';

export const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as BackupManifest;

/** Writes another manifest and takes the signature away, as of a version before signatures. */
export function writeUnsigned(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  rmSync(join(folder, 'manifest.sig'), { force: true });
}

/** Replaces a text in a collection, and computes its facts in the manifest anew. */
export function changeCollection(folder: string, name: string, from: string, to: string): BackupManifest {
  const manifest = manifestIn(folder);
  const collections = manifest.collections.map((one) => {
    if (one.name !== name) return one;
    const path = join(folder, one.file);
    const bytes = gzipSync(gunzipSync(readFileSync(path)).toString().replaceAll(from, to));
    writeFileSync(path, bytes);
    return { ...one, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const changed = { ...manifest, collections };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(changed));
  return changed;
}
