/** Writes events and alerts straight into the views, for tests that need many. */
import { eventId, utf8, type EventType } from '@sentinel-node/contracts';
import type { EventView } from '../src/views/index.ts';
import type { Place } from './place.ts';

const STEP = 2_000;

/** Writes `count` events a second apart, the last one a second ago; returns them newest first, as lists do. */
export async function fillEvents(
  { world, orgId, deviceId, fileId }: Pick<Place, 'world' | 'orgId' | 'deviceId' | 'fileId'>,
  count: number,
  more: (n: number) => Partial<EventView> = () => ({}),
): Promise<EventView[]> {
  const last = world.clock.now();
  const events = Array.from({ length: count }, (_, n): EventView => {
    const timestamp = last - (count - n) * 1_000;
    const type: EventType = n % 2 === 0 ? 'ROLLING' : 'AGENT_ERROR';
    return {
      id: eventId(timestamp, type, utf8(`${fileId} ${n}`)),
      orgId,
      deviceId,
      fileId,
      type,
      timestamp,
      alertId: null,
      hashId: null,
      note: JSON.stringify({ n }),
      ...more(n),
    };
  });
  for (let at = 0; at < count; at += STEP)
    await world.store.insertMissing('events', events.slice(at, at + STEP));
  return events.reverse();
}

/** Returns the rows of cells of a CSV text (RFC 4180, with semicolons), without the byte order mark. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text
    .replace(/^\uFEFF/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ';') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
