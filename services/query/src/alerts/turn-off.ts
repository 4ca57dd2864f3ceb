/**
 * Dismisses and resets alerts (decision 5 of the specification): exactly one person wins, and the answer waits until
 * the view shows the change.
 */
import type { Alert, ErrorCode } from '@sentinel-node/contracts';
import {
  ApiError,
  apiErrorOf,
  isTransient,
  type Caller,
  type Claim,
  type Outbox,
} from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import type { Expected } from '../registry/tags.ts';
import { type AlertView, type Scope, type Tagged, VIEWS } from '../views/index.ts';
import { claimAlert, claimOn, type Handling, isSameCommand } from './claim.ts';
import type { KeptAlerts } from './kept-alerts.ts';
import { type AlertKey, alertView, readAlert, tagOfAlert } from './read-alerts.ts';
import { alertSignal, type Signals } from './signals.ts';

/** How long an answer waits for the view, in milliseconds. */
export const VIEW_WAIT_MS = 3_000;
/** Longest time between two reads of the view, because a signal can be lost. */
const LOOK_AGAIN_MS = 500;

/** Context of commands on alerts. */
export interface AlertContext extends QueryContext {
  readonly claims: Outbox<Claim>;
  readonly signals: Signals;
  readonly keptAlerts: KeptAlerts;
}

export interface TurnOff extends Handling {
  /** The number of occurrences that the person saw; absent to skip the comparison. */
  readonly occurrences?: number;
  /** Absent to accept any state. */
  readonly expected?: Expected | undefined;
}

/**
 * @throws ApiError NOT_FOUND; STALE; ALERT_NOT_ACTIVE when another person or command was first; ALERT_CHANGED when the
 * alert occurred again; UNAVAILABLE when the view does not show the change in time (the command stands: ask again)
 */
export async function turnOff(
  context: AlertContext,
  key: AlertKey,
  command: TurnOff,
  caller: Caller,
): Promise<Tagged<Alert>> {
  await claim(context, key, command, caller);
  return afterChange(async () => {
    if (!(await areShown(context, [key.id])))
      throw new ApiError('UNAVAILABLE', { detail: 'The change is not readable yet.' });
    context.keptAlerts.noteChanges(key.orgId, [{ kind: 'alert', id: key.id }]);
    return readAlert(context, key);
  });
}

export interface TurnedOff {
  readonly id: string;
  /** The code that PUT of one alert would answer; null for success. */
  readonly code: ErrorCode | null;
}

/** Turns off each alert on its own: one failure does not affect the others. Results keep the order of `ids`. */
export async function turnOffSeveral(
  context: AlertContext,
  scope: Pick<Scope, 'orgId' | 'within'>,
  ids: readonly string[],
  handling: Handling,
  caller: Caller,
): Promise<TurnedOff[]> {
  const answers = new Map<string, ErrorCode | null>();
  for (const id of new Set(ids))
    answers.set(id, await codeOf(claim(context, { ...scope, id }, handling, caller)));
  const claimed = [...answers].filter(([, code]) => code === null).map(([id]) => id);
  await afterChange(async () => {
    if (await areShown(context, claimed)) return;
    for (const { id, status } of await views(context, claimed))
      if (status === 'ACTIVE') answers.set(id, 'UNAVAILABLE');
  });
  context.keptAlerts.noteChanges(
    scope.orgId,
    claimed.map((id) => ({ kind: 'alert', id })),
  );
  return ids.map((id) => ({ id, code: answers.get(id)! }));
}

/** Returns null for success. An alert that is refused for now does not end the call: others may be done already. */
export async function codeOf(work: Promise<unknown>): Promise<ErrorCode | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ApiError || isTransient(error)) return apiErrorOf(error).code;
    throw error;
  }
}

async function claim(context: AlertContext, key: AlertKey, command: TurnOff, caller: Caller): Promise<void> {
  /** @pool alert-waiters */
  if (context.signals.isFull) throw new ApiError('OVERLOADED');
  const { store } = context;
  const alert = await alertView(store, key);
  const existing = await claimOn(store, alert.id);
  if (existing !== undefined) return goOnWith(context, existing, command, caller);
  if (alert.status !== 'ACTIVE') throw new ApiError('ALERT_NOT_ACTIVE');
  if (command.expected?.(await tagOfAlert(store, alert)) === false) throw new ApiError('STALE');
  if (command.occurrences !== undefined && alert.occurrences > command.occurrences)
    throw new ApiError('ALERT_CHANGED', { detail: `It occurred ${alert.occurrences} times by now.` });
  const made = await claimAlert(context, alert, command, caller);
  if (!made.isNew) return goOnWith(context, made.claim, command, caller);
  await context.claims.publish(made.claim);
}

/** Continues with an earlier claim; refuses unless it is the same command. */
async function goOnWith(
  context: AlertContext,
  existing: Claim,
  handling: Handling,
  caller: Caller,
): Promise<void> {
  if (!isSameCommand(existing, handling, caller)) throw new ApiError('ALERT_NOT_ACTIVE');
  if (existing.unpublished === 1) await context.claims.publish(existing);
}

async function views({ store }: Pick<QueryContext, 'store'>, ids: readonly string[]): Promise<AlertView[]> {
  if (ids.length === 0) return [];
  return await store.getMany(VIEWS.alerts, ids);
}

/**
 * Returns whether all alerts show as handled within `VIEW_WAIT_MS`. Uses real time, not the injected clock, to bound
 * the request.
 */
async function areShown(context: AlertContext, ids: readonly string[]): Promise<boolean> {
  const end = performance.now() + VIEW_WAIT_MS;
  for (let waiting = ids; ;) {
    // Wait starts before the read, so that a signal in between is not missed.
    const news = context.signals.next(waiting.map(alertSignal), LOOK_AGAIN_MS);
    const found = await views(context, waiting);
    waiting = found.filter(({ status }) => status === 'ACTIVE').map(({ id }) => id);
    if (waiting.length === 0) return true;
    if (performance.now() >= end) return false;
    await news;
  }
}
