/** Searches for states that begin or end by the passage of time, and reports each begin and end once. */
import { LIMITS, type NoticeType } from '@sentinel-node/contracts';
import {
  collectionOf,
  heardBy,
  readClockAhead,
  transientFaultOf,
  type Clock,
  type DocumentStore,
} from '@sentinel-node/platform';
import { pagesById } from '../storage/pages-by-id.ts';
import { type ContactViews, type RegistryWait, VIEWS } from '../views/index.ts';
import { deliver, type DeliveryContext } from './deliver.ts';
import { findStates, type FoundStates } from './find-states.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { keepLooked, lookingSince, takeTurn } from './markers.ts';
import { readRules } from './rules.ts';
import { beganNotice, endedNotice, unmonitoredNotice, type FoundState, type NoticeState } from './states.ts';

export const NOTICE_STATES_COLLECTION = {
  name: collectionOf<NoticeState>('notice_states'),
  indexes: [{ fields: ['orgId', 'id'] }],
} as const;

const { name: STATES } = NOTICE_STATES_COLLECTION;
const OF_DEVICES: readonly NoticeType[] = ['device.lost', 'device.returned'];
const OF_FILES: readonly NoticeType[] = ['file.lost', 'file.returned', 'agent.blind'];

export interface LookContext extends DeliveryContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  /**
   * When notifications first started, in milliseconds since the Unix epoch. Earlier states are not reported.
   */
  readonly toldSince: number;
  /** When this process began to listen. */
  readonly listeningSince: number;
  readonly views: Pick<RegistryWait, 'confirm'>;
  readonly contacts: Pick<ContactViews, 'confirm'>;
}

/** Checks every organisation, if this process has the turn. @throws NotCaughtUpError */
export async function reportStates(context: LookContext): Promise<void> {
  const { store, clock, log } = context;
  if (!(await takeTurn(store, clock.now(), NOTIFICATION_LIMITS.lookMs))) return;
  // A rule that the views do not have yet would never tell what another rule tells now.
  await context.views.confirm();
  // Contacts that the views do not have yet are not silence.
  await context.contacts.confirm();
  const since = await lookingSince(store, clock.now(), NOTIFICATION_LIMITS.lookGapMs);
  const listeningSince = Math.max(context.listeningSince, since);
  // A clock that was ahead started notices at a time to come: until then nothing lost would ever be told.
  const toldSince = heardBy(context.toldSince, await readClockAhead(store));
  const passed: { readonly orgId: string; readonly err: Error }[] = [];
  for await (const organizations of store.scan(VIEWS.organizations))
    for (const { id: orgId } of organizations) {
      const err = await transientFaultOf(() => lookAt({ ...context, listeningSince, toldSince }, orgId));
      if (err !== undefined) passed.push({ orgId, err });
    }
  await keepLooked(store, clock.now(), since);
  if (passed.length > 0)
    log.warn(
      { organizations: passed.length, ...passed[0] },
      'organizations were not looked at to the end in this turn',
    );
}

async function lookAt(context: LookContext, orgId: string): Promise<void> {
  const { store, clock, listeningSince } = context;
  const types = new Set(
    (await readRules(store, orgId)).flatMap(({ enabled, when }) => (enabled ? when.types : [])),
  );
  const isWhole = context.stream !== undefined;
  const withFiles = isWhole || OF_FILES.some((type) => types.has(type));
  if (!withFiles && !OF_DEVICES.some((type) => types.has(type))) return;
  const kept = new Map((await statesOf(store, orgId)).map((state) => [state.id, state]));
  const { startGraceMs } = NOTIFICATION_LIMITS;
  const now = clock.now();
  const standings = await findStates({ store, orgId, now, withFiles, listeningSince, startGraceMs }, kept);
  const lasting = await finish(context, kept, standings);
  await begin({ ...context, orgId }, lasting, standings);
  await end(context, lasting, standings, now);
}

async function statesOf(store: DocumentStore, orgId: string): Promise<NoticeState[]> {
  const all: NoticeState[] = [];
  for await (const page of pagesById(store, STATES, { orgId }, LIMITS.findDocuments)) all.push(...page);
  return all;
}

/**
 * Stores states before it reports them, so that a crash repeats the same notices. Adds none of files beyond
 * `NOTIFICATION_LIMITS.states`; those of devices have room in any case, so that the files of one silence no other.
 */
async function begin(
  context: LookContext & { readonly orgId: string },
  kept: ReadonlyMap<string, NoticeState>,
  { found }: FoundStates,
): Promise<void> {
  const { store, toldSince, orgId, log } = context;
  const isOfFile = ({ fileId }: Pick<NoticeState, 'fileId'>): boolean => fileId !== null;
  const room = Math.max(0, NOTIFICATION_LIMITS.states - [...kept.values()].filter(isOfFile).length);
  const all = [...found.values()].filter(({ id }) => !kept.has(id));
  const leftOut = new Set(all.filter(isOfFile).slice(room));
  const begun = all.filter((state) => !leftOut.has(state)).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (leftOut.size > 0)
    log.warn(
      { orgId, states: leftOut.size },
      'told nobody: too many files of this organization are lost already',
    );
  const fresh = begun.map((state: FoundState): NoticeState => {
    return { ...state, rev: 1, told: state.since < toldSince, endedAt: null };
  });
  for (const some of steps(fresh)) await store.insertMissing(STATES, some);
  // In one order always, so that a step that a crash ended comes first again, and mailboxes recognise it.
  const untold = [...kept.values(), ...fresh].filter(({ told }) => !told);
  for (const some of steps(untold)) {
    await deliver(
      context,
      some.map((state) => ({ notice: beganNotice(state) })),
    );
    await store.bulkUpsert(
      STATES,
      some.map((state) => ({ ...state, rev: state.rev + 1, told: true })),
    );
  }
}

/**
 * Ends the states whose end was found before a crash, and which begin again now: people may have been told that the first one is
 * over. Returns the kept states that last.
 */
async function finish(
  context: LookContext,
  kept: ReadonlyMap<string, NoticeState>,
  { found }: FoundStates,
): Promise<ReadonlyMap<string, NoticeState>> {
  const ended = [...kept.values()].filter(({ id, endedAt }) => endedAt !== null && found.has(id));
  for (const some of steps(ended)) await tellEnds(context, some);
  const over = new Set(ended.map(({ id }) => id));
  return new Map([...kept].filter(([id]) => !over.has(id)));
}

async function end(
  context: LookContext,
  kept: ReadonlyMap<string, NoticeState>,
  standings: FoundStates,
  now: number,
): Promise<void> {
  const { found, undecided } = standings;
  const ended = [...kept.values()]
    .filter(({ id }) => !found.has(id) && !undecided.has(id))
    // Those whose step a crash ended come first, so that mailboxes recognise them.
    .sort((a, b) => Number(a.endedAt === null) - Number(b.endedAt === null));
  for (const some of steps(ended)) {
    // Keep the first end, so that a repetition after a crash gives the same notice.
    const marked = some.map((state): NoticeState => {
      const { id, rev, endedAt, endedBy = endOf(id, standings) } = state;
      return { ...state, rev: rev + 2, endedAt: endedAt ?? now, endedBy };
    });
    await context.store.bulkUpsert(STATES, marked);
    await tellEnds(context, marked);
  }
}

function endOf(id: string, { over, unmonitored }: FoundStates): NonNullable<NoticeState['endedBy']> {
  if (over.has(id)) return 'CONTACT';
  return unmonitored.has(id) ? 'MONITORING' : 'OTHER_STATE';
}

async function tellEnds(context: LookContext, ended: readonly NoticeState[]): Promise<void> {
  const notices = ended.flatMap((state) => {
    if (state.endedBy === 'OTHER_STATE') return [];
    return (state.endedBy === 'MONITORING' ? unmonitoredNotice(state) : endedNotice(state)) ?? [];
  });
  await deliver(
    context,
    notices.map((notice) => ({ notice })),
  );
  await context.store.remove(
    STATES,
    ended.map(({ id }) => id),
  );
}

function* steps<T>(all: readonly T[]): Generator<readonly T[]> {
  const { toldAtOnce } = NOTIFICATION_LIMITS;
  for (let at = 0; at < all.length; at += toldAtOnce) yield all.slice(at, at + toldAtOnce);
}
