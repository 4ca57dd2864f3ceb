/** Applies the files of a request to a device: adds files with a new id, changes files with a known id. */
import { LIMITS, type DeviceEntity, type FileEntity, type FileInput, keysOf } from '@sentinel-node/contracts';
import { invalid, refuse, type EventDraft, type Refused, type Stamp } from './decision.ts';
import { labelProblem, labelsOf } from './labels.ts';
import { note } from './notes.ts';
import { normalisedPath } from './paths.ts';

/** A file of a request with its existing or new id. */
export interface FileChange {
  readonly id: string;
  readonly isNew: boolean;
  readonly input: Omit<FileInput, 'id'>;
}

export interface FilesApplied {
  readonly files: readonly FileEntity[];
  readonly events: readonly EventDraft[];
}

/** @param workingDirectory of the device after the request */
export function applyFiles(
  device: DeviceEntity,
  workingDirectory: string,
  changes: readonly FileChange[],
  stamp: Stamp,
): FilesApplied | Refused {
  const files = new Map(device.files.map((file) => [file.id, file]));
  const events: EventDraft[] = [];
  const seen = new Set<string>();
  for (const [index, change] of changes.entries()) {
    const before = files.get(change.id);
    const problem = problemOf(change, before, seen, index);
    if (problem !== undefined) return problem;
    seen.add(change.id);
    const after = fileOf(change, before, stamp.at);
    const event = eventOf(device.id, before, after, stamp);
    if (event === undefined) continue;
    files.set(after.id, after);
    events.push(event);
  }
  if (files.size > LIMITS.filesPerDevice)
    return refuse('LIMIT_REACHED', `A device has at most ${LIMITS.filesPerDevice} files.`);
  return samePathTwice(workingDirectory, files, changes) ?? { files: [...files.values()], events };
}

function problemOf(
  { id, isNew, input }: FileChange,
  before: FileEntity | undefined,
  seen: ReadonlySet<string>,
  index: number,
): Refused | undefined {
  const at = (field: string, message: string) => invalid({ path: `/files/${index}/${field}`, message });
  if (!isNew && before === undefined) return refuse('NOT_FOUND', 'The device has no such file.');
  if (seen.has(id)) return at('id', 'stands twice in the request');
  const twice = labelProblem(input, `/files/${index}`);
  if (twice !== undefined) return twice;
  if (!input.rolled) return undefined;
  if (input.rolledFilenameRegexp === undefined)
    return at('rolledFilenameRegexp', 'is required for a rolled file');
  return undefined;
}

function fileOf({ id, input }: FileChange, before: FileEntity | undefined, now: number): FileEntity {
  const { interval, rolledFilenameRegexp, description, watchAttributes: _, labels, ...rest } = input;
  return {
    id,
    ...rest,
    description: description ?? before?.description ?? '',
    ...(input.monitoringFrequency === 'PROBE'
      ? { interval: interval ?? before?.interval ?? LIMITS.fileIntervalSecondsDefault }
      : {}),
    ...(input.rolled && rolledFilenameRegexp !== undefined ? { rolledFilenameRegexp } : {}),
    ...(watchesAttributes(input, before) ? { watchAttributes: true } : {}),
    ...labelsOf(labels, before),
    creationDate: before?.creationDate ?? now,
    ...(before?.enabledAt === undefined ? {} : { enabledAt: before.enabledAt }),
    ...(before?.moved === undefined ? {} : { moved: before.moved }),
    ...(before?.earlier === undefined ? {} : { earlier: before.earlier }),
  };
}

/**
 * Returns whether attributes are watched. They never are for a modifiable file; a new unmodifiable file is
 * watched by default.
 */
function watchesAttributes(input: FileChange['input'], before: FileEntity | undefined): boolean {
  if (input.modifiable) return false;
  return input.watchAttributes ?? (before === undefined || before.watchAttributes === true);
}

function eventOf(
  deviceId: string,
  before: FileEntity | undefined,
  after: FileEntity,
  { by }: Stamp,
): EventDraft | undefined {
  const subject = { deviceId, fileId: after.id };
  if (before === undefined)
    return { type: 'CREATE_FILE', ...subject, note: note(by, { name: after.name, path: after.path }) };
  const changed = changedFields(before, after);
  if (changed.length === 0) return undefined;
  const switched = changed.includes('enabled') ? { enabled: after.enabled } : {};
  return { type: 'MODIFY_FILE', ...subject, note: note(by, { changed, ...switched }) };
}

/** Returns the names of the fields that differ. */
export function changedFields<T extends object>(before: T, after: T): string[] {
  const names = new Set([...keysOf(before), ...keysOf(after)]);
  return [...names].filter((name) => !isSame(before[name], after[name]));
}

/** Compares lists by their content. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));

function samePathTwice(
  workingDirectory: string,
  files: ReadonlyMap<string, FileEntity>,
  changes: readonly FileChange[],
): Refused | undefined {
  const owners = new Map<string, string>();
  for (const file of files.values()) {
    const path = normalisedPath(workingDirectory, file.path);
    const owner = owners.get(path);
    if (owner === undefined) {
      owners.set(path, file.id);
      continue;
    }
    const index = changes.findLastIndex(({ id }) => id === file.id || id === owner);
    const message = `${file.path} is monitored on this device already`;
    return invalid({ path: index === -1 ? '/path' : `/files/${index}/path`, message });
  }
  return undefined;
}
