/** Looks at the contact of every organisation's files a few times an hour, and keeps the worst look of each hour. */
import {
  ignoreTransient,
  saveIfCurrent,
  transientFaultOf,
  type Clock,
  type DocumentStore,
  type Log,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import { VIEWS } from '../views/index.ts';
import {
  CONTACT_HOURS_COLLECTION,
  contactCounts,
  contactHourId,
  isLookDue,
  withLook,
} from './contact-hours.ts';
import { CONTACT_LIMITS } from './limits.ts';
import type { Summaries } from './summaries.ts';

const { name: HOURS } = CONTACT_HOURS_COLLECTION;

export interface ContactLookContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly summaries: Pick<Summaries, 'glance'>;
}

export function startContactLooks(context: ContactLookContext & { readonly timers: Timers }): Repeating {
  const startedAt = context.clock.now();
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    if (context.clock.now() - startedAt < CONTACT_LIMITS.graceMs) return;
    await lookAtContacts(context, stopping.signal);
  };
  const repeating = context.timers.every(
    CONTACT_LIMITS.checkMs,
    ignoreTransient(look, (err) => context.log.warn({ err }, 'contacts cannot be looked at; trying again')),
  );
  return {
    failed: repeating.failed,
    stop: () => {
      stopping.abort();
      return repeating.stop();
    },
  };
}

/**
 * Looks at each organisation that no process has looked at in this quarter of an hour.
 * @param stopping ends the search before the next organisation
 */
export async function lookAtContacts(context: ContactLookContext, stopping?: AbortSignal): Promise<void> {
  const { store, clock, log } = context;
  let passed = 0;
  for await (const organizations of store.scan(VIEWS.organizations)) {
    const now = clock.now();
    const ids = organizations.map(({ id }) => contactHourId(id, now));
    const held = new Map((await store.getMany(HOURS, ids)).map((hour) => [hour.orgId, hour]));
    for (const { id } of organizations) {
      if (stopping?.aborted) return;
      // The hour then has a look less, and no look shows as not known.
      if (!isLookDue(held.get(id), now)) continue;
      const err = await transientFaultOf(() => lookAt(context, id));
      // Of many, the first: the others have the same reason mostly.
      if (err !== undefined && ++passed === 1) log.warn({ err, orgId: id }, 'contacts were not looked at');
    }
  }
}

async function lookAt({ store, clock, summaries }: ContactLookContext, orgId: string): Promise<void> {
  const counts = contactCounts(await summaries.glance(orgId));
  const now = clock.now();
  // Read again: a survey takes seconds, and the hour may have changed since.
  const held = await store.get(HOURS, contactHourId(orgId, now));
  // A look that another process saved in between stands for this one.
  if (isLookDue(held, now))
    await saveIfCurrent(store, HOURS, withLook(held, { orgId, now, counts }), held?.rev);
}
