import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { LiveItem } from './live.ts';

/** A live item's object without the stream's own members, or null when it does not fit the schema. */
export function liveObject<S extends TSchema>(schema: S, item: LiveItem): Static<S> | null {
  const object = Object.fromEntries(
    Object.entries(item.data).filter(([name]) => name !== 'rev' && name !== 'orgId'),
  );
  return Check(schema, object) ? (object as Static<S>) : null;
}

/** Puts an object into a list of newest first: ids rise with time. */
export function upsert<T extends { id: string }>(list: T[], item: T): T[] {
  const index = list.findIndex((held) => held.id === item.id);
  if (index !== -1) return list.with(index, item);
  return [item, ...list].sort((a, b) => (a.id < b.id ? 1 : -1));
}
