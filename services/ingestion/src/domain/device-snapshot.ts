import {
  CURRENT_RULES,
  policyOf,
  reportEnd,
  reportStart,
  type DeviceEntity,
  type FileEntity,
} from '@sentinel-node/contracts';

/** A file of a device, with the bytes that all its reports repeat. */
export interface DeviceFile {
  readonly entity: FileEntity;
  /** Header of a report record after the nonce; undefined before the first report of the file. */
  headerEnd: Uint8Array | undefined;
}

/** A device at one version of its stream, with the bytes that all its reports repeat. */
export interface DeviceSnapshot {
  readonly entity: DeviceEntity;
  /** Version of the device's stream. */
  readonly version: number;
  /** By the file's id. */
  readonly files: ReadonlyMap<string, DeviceFile>;
  /** Header of a report record, up to the value of `acceptedAt`. */
  readonly headerStart: Uint8Array;
}

export function snapshotOf(entity: DeviceEntity, version: number): DeviceSnapshot {
  return {
    entity,
    version,
    files: new Map(entity.files.map((file) => [file.id, { entity: file, headerEnd: undefined }])),
    headerStart: reportStart({ rules: CURRENT_RULES, orgId: entity.orgId, deviceId: entity.id }),
  };
}

/** Returns whether the file is monitored: monitoring must be on for the file and for its device. */
export function isMonitored({ entity }: DeviceSnapshot, { entity: file }: DeviceFile): boolean {
  return entity.enabled && file.enabled && !entity.deleted;
}

/** Returns the header of a report record after the nonce; makes it at the first report of the file. */
export function headerEnd({ entity: device }: DeviceSnapshot, file: DeviceFile): Uint8Array {
  return (file.headerEnd ??= reportEnd(file.entity.id, policyOf(device, file.entity)));
}
