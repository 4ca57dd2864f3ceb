/** Derives configuration version and policy changes from a changed device. */
import {
  pathOn,
  policyDiffers,
  policyOf,
  type DeviceEntity,
  type FileEntity,
} from '@sentinel-node/contracts';
import type { Changed, EventDraft, PolicyChange, Stamp } from './decision.ts';

/** Returns the commit from `before` to `after`. */
export function changed(
  before: DeviceEntity,
  after: DeviceEntity,
  events: readonly EventDraft[],
  stamp: Stamp,
): Changed<DeviceEntity> {
  const timed = withEarlier(before, withSwitchTimes(before, after, stamp.at), stamp.at);
  const entity = withConfigVersion(before, withMoves(before, timed, stamp), stamp.version);
  return { kind: 'changed', entity, events, policies: policyChanges(before, entity) };
}

/**
 * Returns `after` with the times of monitoring that was switched on: contact is only expected from then on.
 */
function withSwitchTimes(before: DeviceEntity, after: DeviceEntity, at: number): DeviceEntity {
  const files = filesWith(before, after, (old, file) =>
    file.enabled && !old.enabled ? { enabledAt: at } : {},
  );
  return { ...after, files, ...(after.enabled && !before.enabled ? { enabledAt: at } : {}) };
}

/** Returns `after` with the moves of files that have another absolute path: what was looked at elsewhere shows no contact. */
function withMoves(before: DeviceEntity, after: DeviceEntity, { at, version }: Stamp): DeviceEntity {
  const files = filesWith(before, after, (old, file) =>
    pathOn(before.path, old.path) === pathOn(after.path, file.path) ? {} : { moved: { at, version } },
  );
  return { ...after, files };
}

/**
 * Returns `after` with the earlier path and labels of whatever got others, because older alerts are judged by
 * them.
 */
function withEarlier(before: DeviceEntity, after: DeviceEntity, until: number): DeviceEntity {
  const files = filesWith(before, after, (old, file) => earlierOf(old, file, until));
  return { ...after, ...earlierOf(before, after, until), files };
}

/** Returns the files of `after`; those that `before` has too with what `told` gives for them. */
function filesWith(
  before: DeviceEntity,
  after: DeviceEntity,
  told: (old: FileEntity, file: FileEntity) => Partial<FileEntity>,
): FileEntity[] {
  const known = new Map(before.files.map((file) => [file.id, file]));
  return after.files.map((file) => {
    const old = known.get(file.id);
    return old === undefined ? file : { ...file, ...told(old, file) };
  });
}

type Described = Pick<FileEntity, 'path' | 'labels' | 'earlier'>;

function earlierOf(before: Described, after: Described, until: number): Pick<Described, 'earlier'> {
  const { path, labels = [] } = before;
  if (path === after.path && labels.join('\n') === (after.labels ?? []).join('\n')) return {};
  return { earlier: { until, path, labels } };
}

/** Returns `after` with a new `configVersion` when the agent's configuration has changed. */
function withConfigVersion(before: DeviceEntity, after: DeviceEntity, version: number): DeviceEntity {
  return configurationOf(before) === configurationOf(after) ? after : { ...after, configVersion: version };
}

/** Returns a text that is equal for equal paths, intervals, keys and file policies. */
function configurationOf(device: DeviceEntity): string {
  const { path, healthInterval, enabled, category, keyVersion, deleted, files } = device;
  return JSON.stringify([path, healthInterval, enabled, category, keyVersion, deleted, files.map(runsBy)]);
}

function runsBy(file: FileEntity): readonly unknown[] {
  const { id, path, type, monitoringFrequency, interval, rolled, rolledFilenameRegexp } = file;
  const { modifiable, watchAttributes, enabled } = file;
  const how = [type, monitoringFrequency, interval, rolled, rolledFilenameRegexp];
  return [id, path, ...how, modifiable, watchAttributes, enabled];
}

/**
 * Returns a change for each file that has another policy from now on, or was removed. A new file has none:
 * its first report carries the policy.
 */
function policyChanges(before: DeviceEntity, after: DeviceEntity): PolicyChange[] {
  const earlier = new Map(before.files.map((file) => [file.id, file]));
  const changed = after.files.flatMap((file): PolicyChange[] => {
    const old = earlier.get(file.id);
    if (old === undefined) return [];
    const [known, policy] = [policyOf(before, old), policyOf(after, file)];
    if (!policyDiffers(known, policy)) return [];
    const isOther = policy.path !== known.path || policy.monitoringFrequency !== known.monitoringFrequency;
    return [{ fileId: file.id, policy, deleted: false, ...(isOther ? { rebaseline: true } : {}) }];
  });
  const removed = after.removedFiles.map((file) => ({
    fileId: file.id,
    policy: { ...policyOf(after, file), enabled: false },
    deleted: true,
  }));
  return [...changed, ...removed];
}
