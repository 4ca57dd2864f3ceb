/** What a change of a device means for its agent and for the verifier. */
import { policyDiffers, policyOf, type DeviceEntity, type FileEntity } from '@sentinel-node/contracts';
import type { Changed, EventDraft, PolicyChange, Stamp } from './decision.ts';

/** The commit that leads from `before` to `after`. */
export function changed(
  before: DeviceEntity,
  after: DeviceEntity,
  events: readonly EventDraft[],
  stamp: Stamp,
): Changed<DeviceEntity> {
  const entity = withConfigVersion(before, after, stamp.version);
  return { kind: 'changed', entity, events, policies: policyChanges(before, entity) };
}

/** `after` with the `configVersion` that it must have: raised when anything that an agent runs by is another. */
function withConfigVersion(before: DeviceEntity, after: DeviceEntity, version: number): DeviceEntity {
  return configurationOf(before) === configurationOf(after) ? after : { ...after, configVersion: version };
}

/** Equal texts mean: same paths, intervals, key and file policies. */
function configurationOf(device: DeviceEntity): string {
  const { path, healthInterval, enabled, category, keyVersion, deleted, files } = device;
  return JSON.stringify([path, healthInterval, enabled, category, keyVersion, deleted, files.map(runsBy)]);
}

function runsBy(file: FileEntity): readonly unknown[] {
  const { id, path, type, monitoringFrequency, interval, rolled, rolledFilenameRegexp, modifiable, enabled } =
    file;
  return [id, path, type, monitoringFrequency, interval, rolled, rolledFilenameRegexp, modifiable, enabled];
}

/** A change for every file that is judged differently from now on, or is gone. New files have none: their first report carries their policy. */
function policyChanges(before: DeviceEntity, after: DeviceEntity): PolicyChange[] {
  const earlier = new Map(before.files.map((file) => [file.id, file]));
  const changed = after.files.flatMap((file): PolicyChange[] => {
    const old = earlier.get(file.id);
    if (old === undefined || !policyDiffers(policyOf(before, old), policyOf(after, file))) return [];
    return [{ fileId: file.id, policy: policyOf(after, file), deleted: false }];
  });
  const removed = after.removedFiles.map((file) => ({
    fileId: file.id,
    policy: { ...policyOf(after, file), enabled: false },
    deleted: true,
  }));
  return [...changed, ...removed];
}
