/** Dismiss and reset (decisions 5): exactly one person wins, and the answer waits until the view shows it. */
import type { Alert, ErrorCode } from '@sentinel-node/contracts';
import { ApiError, type Caller, type Outbox } from '@sentinel-node/platform';
import {
  alertView,
  readAlert,
  tagOfAlert,
  type AlertKey,
  type ReadContext,
  type Tagged,
} from '../reads/index.ts';
import type { Expected } from '../registry/tags.ts';
import { VIEWS, type AlertView } from '../views/index.ts';
import { claimAlert, claimOn, isSameCommand, type Claim, type ClaimDeps, type Handling } from './claim.ts';
import { alertSignal, type Signals } from './signals.ts';

/** How long an answer waits for the view. */
export const VIEW_WAIT_MS = 3_000;
/** Between two looks without news: news can be lost, the wait must not. */
const LOOK_AGAIN_MS = 500;

export interface TurnOffDeps extends ClaimDeps {
  readonly reads: ReadContext;
  readonly outbox: Outbox<Claim>;
  readonly signals: Signals;
}

export interface TurnOff extends Handling {
  /** As the person saw it; absent: not compared. */
  readonly occurrences?: number;
  /** Absent: whatever state it is in. */
  readonly expected?: Expected | undefined;
}

/**
 * @throws ApiError NOT_FOUND; STALE; ALERT_NOT_ACTIVE when somebody else, or another command, was first; ALERT_CHANGED when
 *   it occurred again; UNAVAILABLE when the view does not show it in time (the command stands, ask again)
 */
export async function turnOff(
  deps: TurnOffDeps,
  key: AlertKey,
  command: TurnOff,
  caller: Caller,
): Promise<Tagged<Alert>> {
  await claim(deps, key, command, caller);
  if (!(await areShown(deps, [key.id]))) throw new ApiError('UNAVAILABLE', 'The change is not readable yet.');
  return readAlert(deps.reads, key);
}

export interface TurnedOff {
  readonly id: string;
  /** As PUT of one alert would answer. */
  readonly code: ErrorCode | null;
}

/** Each by itself: what happens to one does not touch the others. In the order of `ids`. */
export async function turnOffSeveral(
  deps: TurnOffDeps,
  orgId: string,
  ids: readonly string[],
  handling: Handling,
  caller: Caller,
): Promise<TurnedOff[]> {
  const answers = new Map<string, ErrorCode | null>();
  for (const id of new Set(ids)) answers.set(id, await codeOf(claim(deps, { orgId, id }, handling, caller)));
  const claimed = [...answers].filter(([, code]) => code === null).map(([id]) => id);
  if (!(await areShown(deps, claimed)))
    for (const { id, status } of await views(deps, claimed))
      if (status === 'ACTIVE') answers.set(id, 'UNAVAILABLE');
  return ids.map((id) => ({ id, code: answers.get(id)! }));
}

async function codeOf(work: Promise<void>): Promise<ErrorCode | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

async function claim(deps: TurnOffDeps, key: AlertKey, command: TurnOff, caller: Caller): Promise<void> {
  if (deps.signals.isFull) throw new ApiError('OVERLOADED');
  const { store } = deps.reads;
  const alert = await alertView(store, key);
  const held = await claimOn(store, alert.id);
  if (held !== undefined) return goOnWith(deps, held, command, caller);
  if (alert.status !== 'ACTIVE') throw new ApiError('ALERT_NOT_ACTIVE');
  if (command.expected?.(await tagOfAlert(store, alert)) === false) throw new ApiError('STALE');
  if (command.occurrences !== undefined && alert.occurrences > command.occurrences)
    throw new ApiError('ALERT_CHANGED', `It occurred ${alert.occurrences} times by now.`);
  const made = await claimAlert(deps, alert, command, caller);
  if (!made.isNew) return goOnWith(deps, made.claim, command, caller);
  await deps.outbox.publish(made.claim);
}

/** The claim was there before: fine when it is this very command. */
async function goOnWith(deps: TurnOffDeps, held: Claim, handling: Handling, caller: Caller): Promise<void> {
  if (!isSameCommand(held, handling, caller)) throw new ApiError('ALERT_NOT_ACTIVE');
  if (held.unpublished === 1) await deps.outbox.publish(held);
}

async function views({ reads }: TurnOffDeps, ids: readonly string[]): Promise<AlertView[]> {
  if (ids.length === 0) return [];
  return (await reads.store.getMany(VIEWS.alerts, ids)) as unknown as AlertView[];
}

/** Whether all are shown as handled within `VIEW_WAIT_MS`. Real time, not the injected clock: it bounds a request. */
async function areShown(deps: TurnOffDeps, ids: readonly string[]): Promise<boolean> {
  const end = performance.now() + VIEW_WAIT_MS;
  for (let waiting = ids; ;) {
    // Before the look, so that news between the look and the wait is not missed.
    const news = deps.signals.next(waiting.map(alertSignal), LOOK_AGAIN_MS);
    const found = await views(deps, waiting);
    waiting = found.filter(({ status }) => status === 'ACTIVE').map(({ id }) => id);
    if (waiting.length === 0) return true;
    if (performance.now() >= end) return false;
    await news;
  }
}
