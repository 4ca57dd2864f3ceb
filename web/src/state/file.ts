/** Updates one file from the live stream. */
import { FileSchema, type File } from '@sentinel-node/contracts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { RELOAD } from './use-resource.ts';

export function applyToFile(file: File, { kind, data }: LiveItem): File | typeof RELOAD {
  if (kind !== 'file' || data['id'] !== file.id || data['deleted'] === true) return file;
  const { deviceId: _device, number: _number, ...fields } = data;
  return liveObject(FileSchema, { kind, data: fields }) ?? RELOAD;
}
