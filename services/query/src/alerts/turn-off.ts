/**
 * Dismisses and resets alerts (decision 5 of the specification): exactly one person wins, and the answer waits until
 * the view shows the change.
 */
import type { Alert, ErrorCode, TurnOffAlerts } from '@sentinel-node/contracts';
import {
  ApiError,
  apiErrorOf,
  CLAIMS_COLLECTION,
  isTransient,
  type Claim,
  type Outbox,
} from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import type { Expected } from '../registry/tags.ts';
import { type AlertView, type Scope, type Tagged, VIEWS } from '../views/index.ts';
import { claimAlert, claimOn, type Handling, isPassedOver, isSameCommand } from './claim.ts';
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
  /** Absent to accept any state. */
  readonly expected?: Expected | undefined;
}

/**
 * @throws ApiError NOT_FOUND; STALE; ALERT_NOT_ACTIVE when another person or command was first; ALERT_CHANGED when the
 * alert occurred again, by the view or before the command in the log; the refusal of a caller who may not handle alerts any more; UNAVAILABLE when the view does not show the change in
 * time (the command stands: ask again)
 */
export async function turnOff(
  context: AlertContext,
  key: AlertKey,
  command: TurnOff,
  caller: Actor,
): Promise<Tagged<Alert>> {
  const claimed = await claim(context, key, command, caller);
  return afterChange(async () => {
    const error = (await outcomesOf(context, [claimed])).get(key.id);
    if (error !== undefined) throw error;
    context.keptAlerts.noteChanges(key.orgId, [{ kind: 'alert', id: key.id }]);
    return readAlert(context, key);
  });
}

export interface TurnedOff {
  readonly id: string;
  /** The code that PUT of one alert would answer; null for success. */
  readonly code: ErrorCode | null;
}

/**
 * Turns off each alert on its own: one failure does not affect the others. Results keep the order of `ids`.
 * @throws ApiError VALIDATION_FAILED when `occurrences` are not as many as `ids`
 */
export async function turnOffSeveral(
  context: AlertContext,
  scope: Pick<Scope, 'orgId' | 'within'>,
  { ids, occurrences, note, status }: TurnOffAlerts,
  caller: Actor,
): Promise<TurnedOff[]> {
  if (occurrences !== undefined && occurrences.length !== ids.length)
    throw new ApiError('VALIDATION_FAILED', {
      errors: [{ path: '/occurrences', message: 'must have one number for each of `ids`' }],
    });
  const answers = new Map<string, ErrorCode | null>();
  const claims: Claim[] = [];
  for (const [index, id] of ids.entries()) {
    if (answers.has(id)) continue;
    const seen = occurrences?.[index];
    const handling = { note, status, ...(seen !== undefined && { occurrences: seen }) };
    const claiming = claim(context, { ...scope, id }, handling, caller);
    answers.set(id, await codeOf(claiming.then((made) => claims.push(made))));
  }
  const outcomes = await afterChange(() => outcomesOf(context, claims));
  for (const [id, { code }] of outcomes) answers.set(id, code);
  context.keptAlerts.noteChanges(
    scope.orgId,
    claims.map(({ id }) => ({ kind: 'alert', id })),
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

/** Returns the claim by which the alert is handled: a new one, or that of the same command sent before. */
async function claim(context: AlertContext, key: AlertKey, command: TurnOff, caller: Actor): Promise<Claim> {
  /** @pool alert-waiters */
  if (context.signals.isFull) throw new ApiError('OVERLOADED');
  const { store } = context;
  for (;;) {
    const alert = await alertView(store, key);
    const existing = await claimOn(store, alert.id);
    if (existing !== undefined && !isPassedOver(existing, alert))
      return goOnWith(context, existing, command, caller);
    if (alert.status !== 'ACTIVE') throw new ApiError('ALERT_NOT_ACTIVE');
    if (command.expected?.(await tagOfAlert(store, alert)) === false) throw new ApiError('STALE');
    if (command.occurrences !== undefined && alert.occurrences > command.occurrences) throw changed(alert);
    await caller.confirm?.();
    const made = await claimAlert(context, alert, command, caller, existing);
    if (made === undefined) continue;
    await context.claims.publish(made);
    return made;
  }
}

const changed = ({ occurrences }: AlertView): ApiError =>
  new ApiError('ALERT_CHANGED', { detail: `It occurred ${occurrences} times by now.` });

/** Continues with an earlier claim; refuses unless it is the same command. */
async function goOnWith(
  context: AlertContext,
  existing: Claim,
  handling: Handling,
  caller: Actor,
): Promise<Claim> {
  if (!isSameCommand(existing, handling, caller)) throw new ApiError('ALERT_NOT_ACTIVE');
  if (existing.unpublished === 1) await context.claims.publish(existing);
  return existing;
}

/**
 * Returns by alert the error of each claim that did not handle its alert. Waits up to `VIEW_WAIT_MS` for the view. Uses real
 * time, not the injected clock, to bound the request.
 */
async function outcomesOf(context: AlertContext, claims: readonly Claim[]): Promise<Map<string, ApiError>> {
  const { store, signals } = context;
  const errors = new Map<string, ApiError>();
  const handled: Claim[] = [];
  const end = performance.now() + VIEW_WAIT_MS;
  let waiting = new Map(claims.map((claim) => [claim.id, claim]));
  while (waiting.size > 0) {
    // Wait starts before the read, so that a signal in between is not missed.
    const news = signals.next([...waiting.keys()].map(alertSignal), LOOK_AGAIN_MS);
    const later = new Map<string, Claim>();
    for (const alert of await store.getMany<AlertView>(VIEWS.alerts, [...waiting.keys()])) {
      const claim = waiting.get(alert.id)!;
      if (isPassedOver(claim, alert)) errors.set(alert.id, changed(alert));
      else if (alert.status === 'ACTIVE') later.set(alert.id, claim);
      else handled.push(claim);
    }
    waiting = later;
    if (waiting.size === 0) break;
    if (performance.now() >= end) {
      for (const id of waiting.keys())
        errors.set(id, new ApiError('UNAVAILABLE', { detail: 'The change is not readable yet.' }));
      break;
    }
    await news;
  }
  for (const id of await replaced(store, handled)) errors.set(id, new ApiError('ALERT_NOT_ACTIVE'));
  return errors;
}

/** Returns the alerts that a later claim handled, because these claims were passed over. */
async function replaced(store: QueryContext['store'], claims: readonly Claim[]): Promise<string[]> {
  if (claims.length === 0) return [];
  const current = await store.getMany(
    CLAIMS_COLLECTION.name,
    claims.map(({ id }) => id),
  );
  const claimIds = new Set(current.map(({ record }) => record.claimId));
  return claims.filter(({ record }) => !claimIds.has(record.claimId)).map(({ id }) => id);
}
