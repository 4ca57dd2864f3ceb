import { uuidV7, type DeviceEntity, type FileEntity } from '@sentinel-node/contracts';
import { systemRandom } from '@sentinel-node/platform';

export const NOW = Date.UTC(2026, 10, 21, 10, 0, 0);
export const SEQUENCE = NOW * 1_000;
export const HASH = 'a'.repeat(64);

export const newId = (): string => uuidV7(NOW, systemRandom.bytes(10));

export function fileEntity(changes: Partial<FileEntity> = {}): FileEntity {
  return {
    id: newId(),
    name: 'app.log',
    description: '',
    path: 'logs/app.log',
    type: 'TEXT',
    monitoringFrequency: 'FOLLOW',
    rolled: false,
    modifiable: true,
    enabled: true,
    creationDate: NOW,
    ...changes,
  };
}

export function deviceEntity(changes: Partial<DeviceEntity> = {}): DeviceEntity {
  return {
    kind: 'DEVICE',
    id: newId(),
    orgId: newId(),
    name: 'web-1',
    description: '',
    path: '/var',
    healthInterval: 60,
    enabled: true,
    category: 'STANDARD',
    disabledNote: null,
    disabledDate: null,
    disabledBy: null,
    creationDate: NOW,
    configVersion: 1,
    keyVersion: 1,
    previousKey: null,
    deleted: false,
    files: [fileEntity()],
    removedFiles: [],
    ...changes,
  };
}

export const report = (changes: object = {}): Record<string, unknown> => ({
  sequence: SEQUENCE,
  timestamp: '2026-11-21T10:00:00.000Z',
  change: 'FIRST',
  versions: [{ length: 1_024, hash: HASH }],
  ...changes,
});
