import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { LIMITS, type Attributes, type FileKind } from '@sentinel-node/contracts';
import { NOTHING } from '../domain/step.ts';

const PERMISSIONS = 0o7777;
const OCTAL_DIGITS = 4;
/** The last time that four digits of a year can say, in ms. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * What a report tells of a regular file besides its content. Extended attributes are left out: Node has no call for them.
 * @param about of the file, links followed @param target of the link at the path; undefined: it is none
 * @param platform Windows has no permissions and owners of this kind, and Node makes some up
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

/** A target that no text of a report can hold is told by its hash, so that another one still shows. */
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

/** Of what stands at a path where no regular file is; undefined: nothing does. @param what as `kind.ts` calls it */
export function attributesOfOther(what: string): Attributes | undefined {
  return what === NOTHING ? undefined : { kind: KINDS[what] ?? 'OTHER' };
}
