/** The contact of monitored files in past hours, as the server found it: the worst look of each hour. */
import type { ContactPart } from '@sentinel-node/contracts';
import { collectionOf, type DocumentStore } from '@sentinel-node/platform';
import { iso } from '../views/read.ts';
import { CONTACT_LIMITS } from './limits.ts';
import type { Summary } from './summary.ts';

const HOUR_MS = 3_600_000;

type ContactCounts = Pick<ContactPart, 'inContact' | 'waiting' | 'lost'>;

/** One hour of one organisation. Times are milliseconds since the Unix epoch. */
export interface ContactHour extends ContactCounts {
  readonly id: string;
  /** Number of looks. */
  readonly rev: number;
  readonly orgId: string;
  readonly start: number;
  readonly lookedAt: number;
  readonly expiresAt: number;
}

export const CONTACT_HOURS_COLLECTION = {
  name: collectionOf<ContactHour>('contact_hours'),
  indexes: [{ fields: ['orgId', 'start'] }, { fields: ['expiresAt'] }],
} as const;

const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

export const contactHourId = (orgId: string, at: number): string => `${orgId} ${iso(hourOf(at))}`;

/** Returns whether no look at this hour fell into the present stretch of `CONTACT_LIMITS.lookMs`. */
export function isLookDue(hour: Pick<ContactHour, 'lookedAt'> | undefined, now: number): boolean {
  const stretchOf = (at: number): number => Math.floor(at / CONTACT_LIMITS.lookMs);
  return hour === undefined || stretchOf(hour.lookedAt) !== stretchOf(now);
}

export function contactCounts({ performance }: Pick<Summary, 'performance'>): ContactCounts {
  const { numberOfFilesMonitored, numberOfFilesWaiting, numberOfFilesWithoutContact } = performance;
  const inContact = numberOfFilesMonitored - numberOfFilesWaiting - numberOfFilesWithoutContact;
  return { inContact, waiting: numberOfFilesWaiting, lost: numberOfFilesWithoutContact };
}

/** Returns the hour after one more look; the counts of one look stay together. */
export function withLook(
  held: ContactHour | undefined,
  { orgId, now, counts }: { readonly orgId: string; readonly now: number; readonly counts: ContactCounts },
): ContactHour {
  const start = hourOf(now);
  return {
    ...(held === undefined ? counts : worse(held, counts)),
    id: contactHourId(orgId, now),
    rev: (held?.rev ?? 0) + 1,
    orgId,
    start,
    lookedAt: now,
    expiresAt: start + CONTACT_LIMITS.keptMs,
  };
}

/** Returns the counts with more lost files, then with more waiting ones. */
function worse({ inContact, waiting, lost }: ContactCounts, other: ContactCounts): ContactCounts {
  const isOther = other.lost > lost || (other.lost === lost && other.waiting > waiting);
  return isOther ? other : { inContact, waiting, lost };
}

/**
 * Returns the parts in which there was a look. An hour belongs to the part in which it began.
 * @param bounds start of each part (ms), in order, then the end of the last part
 */
export function contactParts(hours: readonly ContactHour[], bounds: readonly number[]): ContactPart[] {
  return bounds.slice(0, -1).flatMap((start, at) => {
    const [first, ...others] = hours.filter((hour) => hour.start >= start && hour.start < bounds[at + 1]!);
    if (first === undefined) return [];
    const looks = others.reduce((sum, { rev }) => sum + rev, first.rev);
    const { inContact, waiting, lost } = others.reduce<ContactCounts>(worse, first);
    return { start: iso(start), inContact, waiting, lost, looks };
  });
}

/** @param bounds as of `contactParts` */
export async function readContact(
  store: Pick<DocumentStore, 'find'>,
  orgId: string,
  bounds: readonly number[],
): Promise<ContactPart[]> {
  const hours = await store.find(CONTACT_HOURS_COLLECTION.name, {
    where: { orgId, start: { gte: bounds[0]!, lt: bounds.at(-1)! } },
    sort: { field: 'start', direction: 'desc' },
    limit: CONTACT_LIMITS.hours,
  });
  return contactParts(hours, bounds);
}
