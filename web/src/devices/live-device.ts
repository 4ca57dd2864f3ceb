/** Updates one device with its files from the live stream. */
import { DeviceListItemSchema, FileSchema } from '@sentinel-node/contracts';
import type { Device } from '../answers.ts';
import type { LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { RELOAD } from '../state/use-resource.ts';

export function applyToDevice(device: Device, item: LiveItem): Device | typeof RELOAD {
  if (item.kind === 'device' && item.data['id'] === device.id) return withDevice(device, item);
  if (item.kind === 'file' && item.data['deviceId'] === device.id) return withFile(device, item);
  return device;
}

function withDevice(device: Device, item: LiveItem): Device | typeof RELOAD {
  const fresh = liveObject(DeviceListItemSchema, item);
  // Its files were lost with it, and no frame names those of which nothing came yet.
  const isBack = device.status === 'NON_ACTIVE' && fresh?.status === 'ACTIVE';
  if (fresh === null || isBack) return RELOAD;
  const { filesCount: _count, ...fields } = fresh;
  const { apiKey, files } = device;
  return { ...fields, apiKey, files };
}

function withFile(device: Device, { kind, data }: LiveItem): Device | typeof RELOAD {
  const { deviceId: _device, number: _number, ...fields } = data;
  const others = device.files.filter(({ id }) => id !== data['id']);
  if (data['deleted'] === true) return { ...device, files: others };
  const file = liveObject(FileSchema, { kind, data: fields });
  if (file === null) return RELOAD;
  const isKnown = others.length < device.files.length;
  const files = isKnown ? device.files.map((held) => (held.id === file.id ? file : held)) : [...others, file];
  return { ...device, files };
}
