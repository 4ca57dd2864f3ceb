import { CURRENT_RULES, policyOf, type DeviceEntity, type FileEntity } from '@sentinel-node/contracts';

/** A device as one version of its stream has it, with the bytes that every report of it repeats. */
export interface DeviceSnapshot {
  readonly entity: DeviceEntity;
  /** Of the device's stream. */
  readonly version: number;
  readonly files: ReadonlyMap<string, FileEntity>;
  /** Header of a report record up to `acceptedAt`'s value. */
  readonly headerStart: Uint8Array;
  /** Header from after the nonce's last digit to its end, per file; filled when a file reports first. */
  readonly headerEnds: Map<string, Uint8Array>;
}

const encoder = new TextEncoder();

export function snapshotOf(entity: DeviceEntity, version: number): DeviceSnapshot {
  const start = JSON.stringify({
    kind: 'report',
    v: 1,
    rules: CURRENT_RULES,
    orgId: entity.orgId,
    deviceId: entity.id,
  });
  return {
    entity,
    version,
    files: new Map(entity.files.map((file) => [file.id, file])),
    headerStart: encoder.encode(`${start.slice(0, -1)},"acceptedAt":`),
    headerEnds: new Map(),
  };
}

/** Monitoring is on when it is on for the file and its device. */
export function isMonitored({ entity }: DeviceSnapshot, file: FileEntity): boolean {
  return entity.enabled && file.enabled && !entity.deleted;
}

export function headerEnd(device: DeviceSnapshot, file: FileEntity): Uint8Array {
  const known = device.headerEnds.get(file.id);
  if (known !== undefined) return known;
  const end = JSON.stringify({ fileId: file.id, policy: policyOf(device.entity, file) });
  const bytes = encoder.encode(`",${end.slice(1)}`);
  device.headerEnds.set(file.id, bytes);
  return bytes;
}
