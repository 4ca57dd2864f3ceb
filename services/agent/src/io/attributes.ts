import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { LIMITS, type Attributes, type FileKind } from '@sentinel-node/contracts';
import { NOTHING } from '../domain/step.ts';

const PERMISSIONS = 0o7777;
const OCTAL_DIGITS = 4;
/** Latest time with a four-digit year, in ms. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns a regular file's attributes for a report, without extended attributes, for which Node has no call.
 * @param about stats of the file, links followed @param target of the link at the path; undefined without a link
 * @param platform on Windows, permissions and owners are omitted because Node invents them
 */
export function attributesOf(
  about: Pick<Stats, 'mode' | 'uid' | 'gid' | 'size' | 'mtimeMs' | 'ino'>,
  target: Buffer | undefined,
  platform: NodeJS.Platform = process.platform,
): Attributes {
  const { gid, ino, mode, mtimeMs, size, uid } = about;
  return {
    ...(target === undefined ? { kind: 'FILE' } : { kind: 'LINK', linkTarget: targetText(target) }),
    ...(platform === 'win32' ? {} : { mode: permissions(mode), owner: uid, group: gid }),
    size,
    ...(mtimeMs >= 0 && mtimeMs <= LAST_MS ? { mtime: new Date(mtimeMs).toISOString() } : {}),
    ...(Number.isSafeInteger(ino) ? { inode: ino } : {}),
  };
}

const permissions = (mode: number): string => (mode & PERMISSIONS).toString(8).padStart(OCTAL_DIGITS, '0');

/** Returns a link's target, or its hash when a report cannot hold the target, so that a change still shows. */
function targetText(target: Buffer): string {
  const text = target.toString();
  if (isUtf8(target) && text.length <= LIMITS.pathCharacters && text !== '') return text;
  return `sha256:${createHash('sha256').update(target).digest('hex')}`;
}

const KINDS: Readonly<Record<string, FileKind>> = {
  folder: 'FOLDER',
  FIFO: 'FIFO',
  socket: 'SOCKET',
  device: 'DEVICE',
};

/**
 * Returns the attributes of an entry that is no regular file; undefined without an entry.
 * @param what kind from `kind.ts`
 */
export function nonRegularAttributes(what: string): Attributes | undefined {
  return what === NOTHING ? undefined : { kind: KINDS[what] ?? 'OTHER' };
}
