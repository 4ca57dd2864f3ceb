/** What every shape tells of a notice. Pure. */
import type { Notice } from '../../notifications/index.ts';

export interface ShapeOptions {
  /** Origin of the console, without a slash at the end. */
  readonly publicUrl: string;
  /** Of PagerDuty. */
  readonly routingKey?: string;
}

/** Where the console shows what the notice is about. */
export function linkOf({ alert, file, device }: Notice, { publicUrl }: ShapeOptions): string {
  const part = (text: string): string => encodeURIComponent(text);
  if (alert !== undefined) {
    const query = new URLSearchParams({ alert: alert.id, ...(device && { in: device.id }) });
    return `${publicUrl}/alerts-history?${query}`;
  }
  if (device === undefined) return `${publicUrl}/dashboard`;
  const path = `${publicUrl}/device/${part(device.id)}`;
  return file === undefined ? path : `${path}/file/${part(file.id)}`;
}

/** Rows for people: what, and its value. */
export function rowsOf({ device, file, alert, actor, severity, at }: Notice): readonly [string, string][] {
  const rows: [string, string | undefined][] = [
    ['Device', device?.name],
    ['File', file?.path],
    ['Alert', alert && `${alert.type}, ${alert.status}`],
    ['By', actor],
    ['Severity', severity],
    ['Time', at],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}

/** At most `length` UTF-16 units, without half a character at the end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
