/** Updates one file from the live stream. */
import { FileSchema } from '@sentinel-node/contracts';
import type { File } from '../answers.ts';
import type { LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { RELOAD } from '../state/use-resource.ts';

/** @param deviceOf the file's device */
export function applyToFile(file: File, deviceOf: string, { kind, data }: LiveItem): File | typeof RELOAD {
  if (kind === 'device') return data['id'] === deviceOf && mayBeBack(file, data) ? RELOAD : file;
  if (kind !== 'file' || data['id'] !== file.id) return file;
  // The server then has no such file, whose contact and policy would be shown as current.
  if (data['deleted'] === true) return RELOAD;
  const { deviceId: _device, number: _number, ...fields } = data;
  return liveObject(FileSchema, { kind, data: fields }) ?? RELOAD;
}

/** A file that was lost with its device is back with it, and no frame names those of which nothing came yet. */
const mayBeBack = ({ contact, problem }: File, device: LiveItem['data']): boolean =>
  contact === 'LOST' && problem === undefined && device['status'] === 'ACTIVE';
