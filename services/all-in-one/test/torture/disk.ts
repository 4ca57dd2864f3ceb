/** Models a path with its archives, and the states that each operation makes, step by step. Pure. */
import { createHash } from 'node:crypto';

export interface Archive {
  /**
   * Identifies the bytes: an archive with other bytes has another id, and its first id when it has its first
   * bytes again.
   */
  readonly id: string;
  readonly content: Buffer;
}

export interface Disk {
  /** null without an entry at the path. */
  readonly content: Buffer | null;
  /** Changes when another file replaces the file. */
  readonly inode: string;
  /** Id of the target of the link at the path; null without a link. */
  readonly target: string | null;
  /** Permissions of the file, or of the link's target; likewise the owner. */
  readonly mode: number;
  /** Owner, as in `ownerOf`. */
  readonly owner: number | null;
  /** Newest first. */
  readonly archives: readonly Archive[];
}

export const KINDS = [
  'append',
  'rewrite',
  'edit',
  'truncate',
  'replace',
  'flicker',
  'delete',
  'create',
  'chmod',
  'chown',
  'touch',
  'link',
  'link-other',
  'append-elsewhere',
  'rotate',
  'copytruncate',
  'edit-archive',
  'lose-archive',
  'retire-archive',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Operation {
  /** Name of the operation, and seed of the bytes that it writes. */
  readonly id: string;
  readonly file: number;
  /** Milliseconds after the beginning. */
  readonly atMs: number;
  readonly kind: Kind;
  /** Number of bytes that the operation writes. */
  readonly bytes: number;
  /** Place in the file, or choice of a mode or owner, in [0, 1). */
  readonly share: number;
}

/** Mode of a new file. */
export const FIRST_MODE = 0o644;
const NEW_FILE = { mode: FIRST_MODE, owner: null, target: null };
/** Modes that let the agent read the file. */
const MODES = [FIRST_MODE, 0o604, 0o664, 0o744];
export const modeOf = (share: number): number => MODES[Math.floor(share * MODES.length)]!;
/** Owners for `chown`; null: the user who makes the files. */
const OWNERS = [null, 1, 2];
export const ownerOf = (share: number): number | null => OWNERS[Math.floor(share * OWNERS.length)]!;

/** Most archives that a rotation keeps. */
export const KEPT_ARCHIVES = 5;

/** Returns bytes that differ from seed to seed. */
export const bytesOf = (seed: string, length: number): Buffer =>
  Buffer.alloc(length, createHash('sha512').update(seed).digest());

export const edited = (content: Buffer, share: number): Buffer => {
  const copy = Buffer.from(content);
  const at = Math.floor(share * content.length);
  copy[at] = copy[at]! ^ 0x20;
  return copy;
};

/** Returns whether the operation has something to work on. */
export function canDo(kind: Kind, { content, archives }: Disk): boolean {
  switch (kind) {
    case 'create':
      return content === null;
    case 'edit':
    case 'truncate':
      return content !== null && content.length > 0;
    case 'edit-archive':
      return archives.length > 0 && archives[0]!.content.length > 0;
    case 'lose-archive':
    case 'retire-archive':
      return archives.length > 1;
    default:
      return content !== null;
  }
}

/** Returns the states that the operation makes in turn; the last one stays. Requires `canDo`. */
export function stepsOf(before: Disk, { id, kind, bytes, share }: Operation): Disk[] {
  const { content, archives } = before;
  const there = content ?? Buffer.alloc(0);
  const fresh = bytesOf(id, bytes);
  const with_ = (change: Partial<Disk>): Disk => ({ ...before, ...change });
  switch (kind) {
    case 'append':
    case 'append-elsewhere':
      return written(there, fresh).map((content) => with_({ content }));
    case 'rewrite':
      return [Buffer.alloc(0), ...written(Buffer.alloc(0), fresh)].map((content) => with_({ content }));
    case 'edit':
      return [with_({ content: edited(there, share) })];
    case 'truncate':
      return [with_({ content: there.subarray(0, Math.floor(share * there.length)) })];
    case 'replace':
      return [with_({ ...NEW_FILE, content: fresh, inode: id })];
    case 'flicker':
      return [with_({ content: null, target: null }), with_({ inode: id, owner: null, target: null })];
    case 'delete':
      return [with_({ content: null, target: null })];
    case 'create':
      return [Buffer.alloc(0), ...written(Buffer.alloc(0), fresh)].map((content) =>
        with_({ ...NEW_FILE, content, inode: id }),
      );
    case 'chmod':
      return [with_({ mode: modeOf(share) })];
    case 'chown':
      return [with_({ owner: ownerOf(share) })];
    case 'touch':
      return [before];
    case 'link':
      return [with_({ inode: id, owner: null, target: id })];
    case 'link-other':
      return [with_({ ...NEW_FILE, content: fresh, inode: id, target: id })];
    case 'rotate': {
      const shifted = shiftedBy({ id, content: there }, archives);
      const empty = { ...NEW_FILE, inode: id, content: Buffer.alloc(0), archives: shifted };
      return [with_({ content: null, target: null, archives: shifted }), empty, { ...empty, content: fresh }];
    }
    case 'copytruncate': {
      const shifted = shiftedBy({ id, content: there }, archives);
      // A copy alone, before the cut, tells nothing about the file.
      return [with_({ content: Buffer.alloc(0), archives: shifted })];
    }
    case 'edit-archive': {
      const [newest, ...others] = archives;
      return [with_({ archives: [editedArchive(newest!), ...others] })];
    }
    case 'lose-archive':
      return [with_({ archives: archives.slice(1) })];
    case 'retire-archive':
      return [with_({ archives: archives.slice(0, -1) })];
  }
}

/** Returns the contents during and after writing, because a reader can come in between. */
const written = (before: Buffer, more: Buffer): Buffer[] => [
  Buffer.concat([before, more.subarray(0, more.length / 2)]),
  Buffer.concat([before, more]),
];

/** Mark of an edited archive: editing flips one bit, and a second edit flips the bit back. */
const EDITED = ' edited';
const editedArchive = ({ id, content }: Archive): Archive => ({
  id: id.endsWith(EDITED) ? id.slice(0, -EDITED.length) : id + EDITED,
  content: edited(content, 0),
});

const shiftedBy = (newest: Archive, archives: readonly Archive[]): Archive[] => [
  newest,
  ...archives.slice(0, KEPT_ARCHIVES - 1),
];
