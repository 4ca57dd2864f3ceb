import {
  CURRENT_RULES,
  policyOf,
  reportEnd,
  reportStart,
  type DeviceEntity,
  type FileEntity,
} from '@sentinel-node/contracts';

/** A device at one version of its stream, with the bytes that all its reports repeat. */
export interface DeviceSnapshot {
  readonly entity: DeviceEntity;
  /** Version of the device's stream. */
  readonly version: number;
  readonly files: ReadonlyMap<string, FileEntity>;
  /** Header of a report record, up to the value of `acceptedAt`. */
  readonly headerStart: Uint8Array;
  /** Rest of the header after the nonce, by file; filled at the first report of a file. */
  readonly headerEnds: Map<string, Uint8Array>;
}

export function snapshotOf(entity: DeviceEntity, version: number): DeviceSnapshot {
  return {
    entity,
    version,
    files: new Map(entity.files.map((file) => [file.id, file])),
    headerStart: reportStart({ rules: CURRENT_RULES, orgId: entity.orgId, deviceId: entity.id }),
    headerEnds: new Map(),
  };
}

/** Returns whether the file is monitored: monitoring must be on for the file and for its device. */
export function isMonitored({ entity }: DeviceSnapshot, file: FileEntity): boolean {
  return entity.enabled && file.enabled && !entity.deleted;
}

export function headerEnd(device: DeviceSnapshot, file: FileEntity): Uint8Array {
  const known = device.headerEnds.get(file.id);
  if (known !== undefined) return known;
  const bytes = reportEnd(file.id, policyOf(device.entity, file));
  device.headerEnds.set(file.id, bytes);
  return bytes;
}
