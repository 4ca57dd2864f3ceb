/** Reads what the server shows: contacts during the test; chains, alerts and events at the end. */
import type { Alert, AlertType, Event, File, Link } from '@sentinel-node/contracts';
import type { Member } from '../support/client.ts';
import { linksOf } from '../support/scene.ts';
import type { Reporter } from '../support/reporter.ts';
import type { ShownContact } from './expectation.ts';
import type { Watched } from './stage.ts';

/** Most simultaneous calls. */
const CALLS = 8;
const PAGE = 500;

type ShownFile = Pick<File, 'id' | 'contact' | 'problem'> & { readonly attributesTold?: boolean };

/** Returns the contacts by file id; undefined when the server does not answer. */
export async function contactsOf(device: Reporter): Promise<ReadonlyMap<string, ShownContact> | undefined> {
  const from = Date.now();
  try {
    const { files } = await device.member.done('GET', `/devices/${device.path}`);
    const asked = { from, to: Date.now() };
    const shown = files as readonly ShownFile[];
    return new Map(
      shown.map(({ attributesTold = false, contact, id, problem }) => [
        id,
        { asked, contact, problem, attributesTold },
      ]),
    );
  } catch {
    return undefined;
  }
}

/** Returns the chains by file id. @throws Error when the server does not answer */
export async function chainsOf(files: readonly Watched[]): Promise<ReadonlyMap<string, readonly Link[]>> {
  const chains = new Map<string, readonly Link[]>();
  const rest = [...files];
  const work = async (): Promise<void> => {
    for (let file = rest.pop(); file !== undefined; file = rest.pop())
      chains.set(file.id, await linksOf(file.device, file.id));
  };
  await Promise.all(Array.from({ length: CALLS }, work));
  return chains;
}

export const alertsOf = (admin: Member): Promise<Alert[]> => pages<Alert>(admin, 'alerts');
export const eventsOf = (admin: Member): Promise<Event[]> => pages<Event>(admin, 'events');

async function pages<T>(admin: Member, what: 'alerts' | 'events'): Promise<T[]> {
  const all: T[] = [];
  for (let lastId: string | null | undefined; lastId !== null;) {
    const from = lastId === undefined ? '' : `&lastId=${encodeURIComponent(lastId)}`;
    const page = await admin.done('GET', `/${what}/${admin.orgId}?limit=${PAGE}${from}`);
    const items = page[what] as readonly T[];
    all.push(...items);
    lastId = items.length < PAGE ? null : (page.lastId as string | null);
  }
  return all;
}

/** Returns the number of occurrences of each alert of the file. */
export function occurrencesOf(alerts: readonly Alert[], fileId: string): Partial<Record<AlertType, number>> {
  const counts: Partial<Record<AlertType, number>> = {};
  for (const alert of alerts)
    if (alert.fileId === fileId) counts[alert.type] = (counts[alert.type] ?? 0) + alert.occurrences;
  return counts;
}
