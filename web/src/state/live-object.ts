import { readAnswer, type Readable } from '@sentinel-node/contracts';
import type { Static, TSchema } from 'typebox';
import { readDevice, readUser } from '../api/spellings.ts';
import type { LiveItem } from './live.ts';

const spellings: Record<string, (object: unknown) => unknown> = { user: readUser, device: readDevice };

/** Returns a live item's object without the stream's own members; null when it does not match the schema. */
export function liveObject<S extends TSchema>(schema: S, item: LiveItem): Readable<Static<S>> | null {
  const kept = Object.fromEntries(
    Object.entries(item.data).filter(([name]) => name !== 'rev' && name !== 'orgId'),
  );
  const object = spellings[item.kind]?.(kept) ?? kept;
  return readAnswer(schema, object) ?? null;
}

/** Inserts or replaces an object in a list sorted oldest first; ids rise with time. */
export const upsertLast = <T extends { id: string }>(list: T[], item: T): T[] =>
  upsert(list.toReversed(), item).reverse();

/** Inserts or replaces an object in a list sorted newest first; ids rise with time. */
export function upsert<T extends { id: string }>(list: T[], item: T): T[] {
  const index = list.findIndex((held) => held.id === item.id);
  if (index !== -1) return list.with(index, item);
  if (item.id > (list[0]?.id ?? '')) return [item, ...list];
  return [item, ...list].sort((a, b) => (a.id < b.id ? 1 : -1));
}
