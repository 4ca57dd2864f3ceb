/** Parts of a notice that several shapes show. Pure. */
import { visible } from '@sentinel-node/contracts';
import type { Notice } from '../../notifications/index.ts';

export interface ShapeOptions {
  /** Origin of the console, without a slash at the end. */
  readonly publicUrl: string;
  /** For PagerDuty. */
  readonly routingKey?: string;
}

/** Returns the console's URL of the notice's alert, file or device; what was deleted has no page. */
export function linkOf({ type, alert, file, device, ends }: Notice, { publicUrl }: ShapeOptions): string {
  const part = (text: string): string => encodeURIComponent(text);
  if (alert !== undefined) {
    const query = new URLSearchParams({ alert: alert.id, ...(device && { in: device.id }) });
    return `${publicUrl}/alerts-history?${query}`;
  }
  const isOver = ends === true; // it may be deleted
  if (device === undefined || type === 'device.deleted' || (isOver && file === undefined))
    return `${publicUrl}/dashboard`;
  const path = `${publicUrl}/device/${part(device.id)}`;
  return file === undefined || type === 'file.deleted' || isOver ? path : `${path}/file/${part(file.id)}`;
}

/** Returns name and value of each fact, for people: as `visible` shows it. */
export function rowsOf({ device, file, alert, actor, severity, at }: Notice): readonly [string, string][] {
  const rows: [string, string | undefined][] = [
    ['Device', device?.name],
    ['File', file?.path],
    ['Alert', alert && `${alert.type}, ${alert.status}`],
    ['By', actor],
    ['Severity', severity],
    ['Time', at],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, visible(value)]]));
}

/** Cuts a text to `length` UTF-16 units, without half a character at the end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
