/** What stands at a path and beside it, and what each operation makes of that, step by step. Pure. */
import { createHash } from 'node:crypto';

export interface Archive {
  /** Other bytes are another archive, and the bytes that it had before are the one that it was. */
  readonly id: string;
  readonly content: Buffer;
}

export interface Disk {
  /** null: nothing stands at the path. */
  readonly content: Buffer | null;
  /** Changes when another file takes the place. */
  readonly inode: string;
  /** Where the link at the path leads, as an id; null: no link stands there. */
  readonly target: string | null;
  /** Permissions; of what a link leads to, as the owner. */
  readonly mode: number;
  /** As of `ownerOf`. */
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
  /** Names the operation, and is the seed of the bytes that it writes. */
  readonly id: string;
  readonly file: number;
  /** Milliseconds after the beginning. */
  readonly atMs: number;
  readonly kind: Kind;
  /** How many bytes it writes. */
  readonly bytes: number;
  /** Where in the file, in [0, 1). */
  readonly share: number;
}

/** Of a new file. */
export const FIRST_MODE = 0o644;
const NEW_FILE = { mode: FIRST_MODE, owner: null, target: null };
/** Modes with which the agent may read. */
const MODES = [FIRST_MODE, 0o604, 0o664, 0o744];
export const modeOf = (share: number): number => MODES[Math.floor(share * MODES.length)]!;
/** Users that are no others; null: whoever makes files. */
const OWNERS = [null, 1, 2];
export const ownerOf = (share: number): number | null => OWNERS[Math.floor(share * OWNERS.length)]!;

/** Archives that a rotation leaves at the most. */
export const KEPT_ARCHIVES = 5;

/** Bytes that differ from seed to seed. */
export const bytesOf = (seed: string, length: number): Buffer =>
  Buffer.alloc(length, createHash('sha512').update(seed).digest());

export const edited = (content: Buffer, share: number): Buffer => {
  const copy = Buffer.from(content);
  const at = Math.floor(share * content.length);
  copy[at] = copy[at]! ^ 0x20;
  return copy;
};

/** Whether the operation has something to work on. */
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

/** Every state that is there in turn, the last of which stays. `canDo` holds. */
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
      // A copy that is not followed by the cut yet tells nothing of the file.
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

/** A reader can come while the bytes are written. */
const written = (before: Buffer, more: Buffer): Buffer[] => [
  Buffer.concat([before, more.subarray(0, more.length / 2)]),
  Buffer.concat([before, more]),
];

/** Editing flips one bit, and flips it back the next time. */
const EDITED = ' edited';
const editedArchive = ({ id, content }: Archive): Archive => ({
  id: id.endsWith(EDITED) ? id.slice(0, -EDITED.length) : id + EDITED,
  content: edited(content, 0),
});

const shiftedBy = (newest: Archive, archives: readonly Archive[]): Archive[] => [
  newest,
  ...archives.slice(0, KEPT_ARCHIVES - 1),
];
