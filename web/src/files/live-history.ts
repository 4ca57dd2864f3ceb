/** Updates a shown file history from the live stream. */
import { AlertSchema, DeviceListItemSchema } from '@sentinel-node/contracts';
import type { FileHistory } from '../answers.ts';
import type { LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';

export interface ShownHistory extends FileHistory {
  /** Whether the stream reported changes that this history lacks. */
  behind: boolean;
  /** Identifies the read that gave it. */
  read: symbol;
}

export function applyToHistory(fileId: string, history: ShownHistory, item: LiveItem): ShownHistory {
  if (item.kind === 'file' && item.data['id'] === fileId) return withFile(history, item.data);
  if (item.kind === 'device' && item.data['id'] === history.device.id) return withDevice(history, item);
  if (item.kind === 'alert' && item.data['fileId'] === fileId) return withAlert(history, item);
  return history;
}

function withFile(history: ShownHistory, { number, name, deleted }: LiveItem['data']): ShownHistory {
  const isBehind = history.behind || (typeof number === 'number' && number >= history.entries);
  const isDeleted = history.deleted || deleted === true;
  const shown = typeof name === 'string' ? name : history.name;
  const isSame = isBehind === history.behind && isDeleted === history.deleted && shown === history.name;
  return isSame ? history : { ...history, name: shown, behind: isBehind, deleted: isDeleted };
}

function withDevice(history: ShownHistory, item: LiveItem): ShownHistory {
  const device = liveObject(DeviceListItemSchema, item);
  if (device === null) return history;
  const { id, name, enabled } = device;
  const { device: held } = history;
  return held.name === name && held.enabled === enabled
    ? history
    : { ...history, device: { id, name, enabled } };
}

/** Updates a listed alert in place; a new alert or a handling makes the history be read again. */
function withAlert(history: ShownHistory, item: LiveItem): ShownHistory {
  const alert = liveObject(AlertSchema, item);
  if (alert === null) return { ...history, behind: true };
  const { status, lastTimestamp, occurrences, overrideUserEmail, note } = alert;
  const breaks = history.breaks.map((held) =>
    held.id === alert.id ? { ...held, status, lastTimestamp, occurrences, overrideUserEmail, note } : held,
  );
  return { ...history, breaks, behind: true };
}
