/** Handles several chosen alerts together and reports a result for each. */
import { ERRORS, type HandledStatus, isErrorCode, type TurnedOffAlerts } from '@sentinel-node/contracts';
import type { Alert } from '../answers.ts';
import { ApiError, isCode, mayBeDone } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { queryOf, type AlertFilter } from './alerts-list.ts';

/** An alert as the person saw it when it was chosen. */
export type Chosen = Pick<Alert, 'id' | 'type' | 'fileName' | 'deviceName' | 'occurrences'>;
/** Chosen alerts by id, in the order of choosing. */
export type Selection = ReadonlyMap<string, Chosen>;

/** Most alerts chosen at the same time. */
export const CHOSEN_MAX = 5_000;
const READ_ITEMS = 200;
/** Alerts per call: the call waits until each change can be read, and the progress is shown after each call. */
const CALL_ALERTS = 25;

const chosenOf = ({ id, type, fileName, deviceName, occurrences }: Alert): Chosen => ({
  ...{ id, type, fileName, deviceName, occurrences },
});

/** Returns the selection with these alerts added or removed. Handled alerts cannot be chosen. */
export function withChosen(selection: Selection, alerts: readonly Alert[], on: boolean): Selection {
  const changed = new Map(selection);
  for (const alert of alerts) {
    if (!on) changed.delete(alert.id);
    else if (alert.status === 'ACTIVE' && changed.size < CHOSEN_MAX) changed.set(alert.id, chosenOf(alert));
  }
  return changed;
}

/** Returns the alerts of the list from one row to another, both included. */
export function between(alerts: readonly Alert[], one: string, other: string): Alert[] {
  const ends = [one, other].map((id) => alerts.findIndex((alert) => alert.id === id));
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return from === -1 ? [] : alerts.slice(from, to + 1);
}

/**
 * Reads all active alerts that match the filter, on all pages; at most `CHOSEN_MAX`, the newest. Calls `onPage` with the
 * alerts of each page, until the signal is aborted.
 */
export async function readMatching(
  orgId: string,
  filter: AlertFilter,
  onPage: (alerts: readonly Alert[]) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (filter.status !== '' && filter.status !== 'ACTIVE') return;
  const query = { ...queryOf(filter), status: 'ACTIVE', limit: READ_ITEMS } as const;
  let found = 0;
  for (let lastId: string | null | undefined; lastId !== null && found < CHOSEN_MAX;) {
    const page = await api().getAlerts(orgId, { ...query, ...(lastId !== undefined && { lastId }) }, signal);
    if (signal?.aborted === true) return;
    found += page.alerts.length;
    lastId = page.lastId;
    onPage(page.alerts);
  }
}

export interface Outcome {
  alert: Chosen;
  /** Null after success. */
  failure: string | null;
  /**
   * `earlier` when it was handled before, by somebody else or by a try whose answer was lost; `unknown` when it may be
   * handled all the same; `changed` when it occurred again since it was chosen, so that somebody has to look at it first.
   */
  state: 'handled' | 'earlier' | 'unknown' | 'changed' | 'left';
}

/** Returns whether the alert is handled, by this try or before it. */
export const isHandled = ({ state }: Outcome): boolean => state === 'handled' || state === 'earlier';

const NOT_SENT = 'Not tried: the ones before it could not be sent.';

/** Action on the chosen alerts: handle with a note, or assign to a person or to nobody. */
export type Task = { note: string; status: HandledStatus } | { userId: string | null };

function send(orgId: string, some: readonly Chosen[], task: Task): Promise<TurnedOffAlerts> {
  const ids = some.map(({ id }) => id);
  if ('userId' in task) return api().assignAlerts(orgId, { ids, ...task });
  return api().turnOffAlerts(orgId, {
    ids,
    ...task,
    occurrences: some.map(({ occurrences }) => occurrences),
  });
}

/**
 * Runs the action on all chosen alerts, `CALL_ALERTS` per call; calls `onProgress` after each. A failed call ends it.
 */
export async function handleAll(
  orgId: string,
  chosen: readonly Chosen[],
  task: Task,
  onProgress: (outcomes: readonly Outcome[]) => void,
  isStopped: () => boolean,
): Promise<void> {
  const outcomes: Outcome[] = [];
  let stopped: string | null = null;
  for (let at = 0; at < chosen.length; at += CALL_ALERTS) {
    const some = chosen.slice(at, at + CALL_ALERTS);
    if (stopped === null && isStopped()) stopped = 'Not tried: it was stopped.';
    if (stopped === null) {
      try {
        const { answers } = await send(orgId, some, task);
        outcomes.push(...some.map((alert, index) => outcomeOf(alert, answers[index]?.code)));
        onProgress([...outcomes]);
        continue;
      } catch (error) {
        outcomes.push(...some.map((alert) => failed(alert, error)));
        stopped = NOT_SENT;
      }
    } else {
      const reason = stopped;
      outcomes.push(...some.map((alert) => ({ alert, failure: reason, state: 'left' as const })));
    }
    onProgress([...outcomes]);
  }
}

/** Returns an alert's result, with the same text as for a single alert. */
function outcomeOf(alert: Chosen, code: string | null | undefined): Outcome {
  if (code === null) return { alert, failure: null, state: 'handled' };
  const isKnown = code !== undefined && isErrorCode(code);
  // Without a known code nobody says that nothing was done.
  return failed(
    alert,
    isKnown ? new ApiError(code, ERRORS[code].status, code) : new ApiError('UNKNOWN', 0, 'no answer'),
  );
}

function failed(alert: Chosen, error: unknown): Outcome {
  const failure = messageOf(error);
  if (isCode(error, 'ALERT_NOT_ACTIVE')) return { alert, failure, state: 'earlier' };
  if (isCode(error, 'ALERT_CHANGED')) return { alert, failure, state: 'changed' };
  return { alert, failure, state: mayBeDone(error) ? 'unknown' : 'left' };
}
