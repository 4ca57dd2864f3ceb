/** Process that changes files on request, by messages; answers each with the times and the inode. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bytesOf, edited, FIRST_MODE, KEPT_ARCHIVES, modeOf, ownerOf, type Operation } from './disk.ts';
import type { Done } from './history.ts';

export interface Order {
  readonly operation: Operation;
  readonly path: string;
}

/** Highest age at which archives are searched. */
const MOST_AGES = 40;

/** Share of deletions that remove the link's target instead of the link. */
const TARGET_SHARE = 0.5;

/** Argument of `chown` that keeps the group. */
const SAME_GROUP = -1;

const archivePath = (path: string, age: number): string => `${path}.${age}.gz`;

/** Returns the ages of the existing archives; a lost archive leaves a gap. */
function agesOf(path: string): number[] {
  return Array.from({ length: MOST_AGES }, (_, n) => n + 1).filter((age) =>
    existsSync(archivePath(path, age)),
  );
}

function shift(path: string): void {
  const ages = agesOf(path);
  for (const [at, age] of [...ages.entries()].reverse()) {
    if (at >= KEPT_ARCHIVES - 1) unlinkSync(archivePath(path, age));
    else renameSync(archivePath(path, age), archivePath(path, age + 1));
  }
}

/** Compresses the newest archive. Without `-f`, gzip refuses links and files with several names. */
function compress(path: string): void {
  const { status, stderr } = spawnSync('gzip', ['-f', `${path}.1`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`gzip ${path}.1: ${stderr}`);
}

function carryOut({ operation: { bytes, id, kind, share }, path }: Order): void {
  const fresh = bytesOf(id, bytes);
  const part = `${path}-part`;
  switch (kind) {
    case 'append':
      return appendFileSync(path, fresh);
    case 'rewrite':
      return writeFileSync(path, fresh);
    case 'edit':
      return editInPlace(path, share);
    case 'truncate':
      return truncateSync(path, Math.floor(share * statSync(path).size));
    case 'replace':
      writeFileSync(part, fresh);
      return renameSync(part, path);
    case 'flicker':
      copyFileSync(path, part);
      unlinkSync(path);
      return renameSync(part, path);
    case 'delete':
      return share < TARGET_SHARE ? unlinkSync(realpathSync(path)) : unlinkSync(path);
    case 'create':
      rmSync(path, { force: true }); // a link without a target
      return writeFileSync(path, fresh, { flag: 'wx' });
    case 'chmod':
      return chmodSync(path, modeOf(share));
    case 'chown':
      return chownSync(path, ownerOf(share) ?? process.getuid!(), SAME_GROUP);
    case 'touch':
      return utimesSync(path, new Date(), new Date());
    case 'link':
      copyFileSync(path, part);
      return replaceByLink(path, id);
    case 'link-other':
      writeFileSync(part, fresh);
      return replaceByLink(path, id);
    case 'append-elsewhere':
      linkSync(path, `${path}-name-${id}`);
      return appendFileSync(`${path}-name-${id}`, fresh);
    case 'rotate':
      shift(path);
      renameSync(path, `${path}.1`);
      writeFileSync(path, fresh, { flag: 'wx' });
      return compress(path);
    case 'copytruncate':
      shift(path);
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
      return compress(path);
    case 'edit-archive':
      return editArchive(path);
    case 'lose-archive':
      return unlinkSync(archivePath(path, agesOf(path)[0]!));
    case 'retire-archive':
      return unlinkSync(archivePath(path, agesOf(path).at(-1)!));
  }
}

/** Replaces the file by a link whose target is the part file. */
function replaceByLink(path: string, id: string): void {
  const target = `${path}-target-${id}`;
  renameSync(`${path}-part`, target);
  symlinkSync(basename(target), `${path}-link`);
  renameSync(`${path}-link`, path);
}

function editInPlace(path: string, share: number): void {
  writeFileSync(path, edited(readFileSync(path), share), { flag: 'r+' });
}

/** Edits the newest archive and keeps its modification time, as a forger would. */
function editArchive(path: string): void {
  const archive = archivePath(path, agesOf(path)[0]!);
  const { mtime } = statSync(archive);
  writeFileSync(`${path}-part`, gzipSync(edited(gunzipSync(readFileSync(archive)), 0)));
  utimesSync(`${path}-part`, mtime, mtime);
  renameSync(`${path}-part`, archive);
}

function inodeAt(path: string): string | null {
  const about = statSync(path, { throwIfNoEntry: false });
  return about === undefined ? null : `${about.dev}:${about.ino}`;
}

process.umask(0o777 & ~FIRST_MODE);
process.on('disconnect', () => process.exit(0));
process.on('message', (order: Order) => {
  const begin = Date.now();
  carryOut(order);
  const done: Done = { operation: order.operation, begin, end: Date.now(), inode: inodeAt(order.path) };
  process.send?.(done);
});
