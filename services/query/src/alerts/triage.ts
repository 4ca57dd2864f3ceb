/** Assignment and comments: commands on the stream of an alert, apart from the file's chain (decision 050). */
import {
  alertStream,
  type AlertEntity,
  type AlertHistory,
  type AlertHistoryItem,
  type ErrorCode,
  LIMITS,
} from '@sentinel-node/contracts';
import { ApiError, type Caller } from '@sentinel-node/platform';
import { runOnAny } from '../commands/run.ts';
import type { Actor } from '../registry/decision.ts';
import { type AlertSubject, type Assignee, type AlertCommand, decideAlert } from '../registry/alert.ts';
import { type AlertView, iso, type Scope, type UserView, VIEWS, viewsOf } from '../views/index.ts';
import { type AlertKey, alertView, assignmentsOf } from './read-alerts.ts';
import { type SharesDocument, sharesOf } from './shares.ts';
import { type AlertContext, codeOf } from './turn-off.ts';

export interface AssignedAlert {
  readonly id: string;
  readonly code: ErrorCode | null;
}

type AlertCaller = Caller & Actor;

/**
 * Assigns each alert on its own; the results keep the order of `ids`. @param userId null to unassign
 * @throws ApiError VALIDATION_FAILED when no active user of the organisation has the id
 */
export async function assignAlerts(
  context: AlertContext,
  scope: Pick<Scope, 'orgId' | 'within'>,
  caller: AlertCaller,
  ids: readonly string[],
  userId: string | null,
): Promise<AssignedAlert[]> {
  const assignee = userId === null ? null : await assigneeOf(context, scope.orgId, userId);
  const byAdmin = caller.role === 'ADMIN';
  const { deletedAssignees } = await assignmentsOf(context.store, ids);
  const answers = new Map<string, ErrorCode | null>();
  for (const id of new Set(ids)) {
    const key = { ...scope, id };
    const deletedAssignee = deletedAssignees.get(id);
    const assign = (of: AlertSubject): AlertCommand => ({
      ...{ type: 'ASSIGN', of, assignee, byAdmin },
      ...(deletedAssignee !== undefined && { deletedAssignee }),
    });
    answers.set(id, await codeOf(command(context, key, caller, assign)));
  }
  return ids.map((id) => ({ id, code: answers.get(id)! }));
}

async function assigneeOf(
  { store }: Pick<AlertContext, 'store'>,
  orgId: string,
  userId: string,
): Promise<Assignee> {
  const user = await store.get<UserView>(VIEWS.users, userId);
  if (user?.orgId === orgId && user.active && !user.deleted) return { userId, email: user.emailAddress };
  throw new ApiError('VALIDATION_FAILED', {
    errors: [{ path: '/userId', message: 'is no active user of this organization' }],
  });
}

/** @throws ApiError NOT_FOUND, LIMIT_REACHED */
export async function commentAlert(
  context: AlertContext,
  key: AlertKey,
  caller: AlertCaller,
  text: string,
): Promise<void> {
  await command(context, key, caller, (of) => ({ type: 'COMMENT', of, text }));
}

async function command(
  context: AlertContext,
  key: AlertKey,
  { userId, email, confirm }: AlertCaller,
  commandOf: (of: AlertSubject) => AlertCommand,
): Promise<void> {
  const { id, orgId, deviceId, fileId } = await alertView(context.store, key);
  const asked = commandOf({ id, orgId, deviceId, fileId });
  // An alert exists without a commit, until somebody assigns it or comments on it.
  await runOnAny<AlertEntity>(context, {
    stream: alertStream(id),
    orgId,
    by: { userId, email, confirm },
    decide: (entity, stamp) => decideAlert(asked, entity, stamp),
  });
  context.keptAlerts.noteChanges(orgId, [{ kind: 'alert', id }]);
}

/** Returns all changes of an alert, newest first. @throws ApiError NOT_FOUND */
export async function readAlertHistory(
  { store }: Pick<AlertContext, 'store'>,
  key: AlertKey,
): Promise<AlertHistory> {
  const alert = await alertView(store, key);
  const [changes, shares] = await Promise.all([
    store.find(VIEWS.alertHistory, {
      where: { alertId: alert.id },
      sort: { field: 'id', direction: 'desc' },
      limit: LIMITS.alertChanges,
    }),
    sharesOf(store, [alert.id]),
  ]);
  const items = changes.map(({ id, kind, timestamp, by, text, to }): AlertHistoryItem => ({
    id,
    kind,
    timestamp: iso(timestamp),
    by,
    text,
    to: to === null ? [] : [to],
  }));
  items.push(...(await sharings({ store }, shares.get(alert.id))), ...ofItself(alert));
  return { history: items.sort(newestFirst) };
}

/** Keeps the order of changes in the same millisecond. */
const newestFirst = (one: AlertHistoryItem, other: AlertHistoryItem): number =>
  Date.parse(other.timestamp) - Date.parse(one.timestamp);

/** Returns the newest changes of the alert's sharing, newest first. */
async function sharings(
  { store }: Pick<AlertContext, 'store'>,
  shares: SharesDocument | undefined,
): Promise<AlertHistoryItem[]> {
  const changes = (shares?.changes ?? []).slice(-LIMITS.alertChanges);
  const users = await viewsOf<UserView>(
    store,
    VIEWS.users,
    changes.map(({ by }) => by),
  );
  const items = changes.map(({ at, by, emailAddresses }, index): AlertHistoryItem => ({
    id: `shared-${index}`,
    kind: 'SHARED',
    timestamp: iso(at),
    by: users.get(by)?.emailAddress ?? null,
    text: null,
    to: [...emailAddresses],
  }));
  return items.reverse();
}

function ofItself({ status, timestamp, handledAt, overrideUserEmail, note }: AlertView): AlertHistoryItem[] {
  const raised = {
    id: 'raised',
    kind: 'RAISED',
    timestamp: iso(timestamp),
    by: null,
    text: null,
    to: [],
  } as const;
  if (status === 'ACTIVE' || handledAt === null) return [{ ...raised, to: [] }];
  const kind = status === 'RESOLVED' ? 'DISMISSED' : 'RESET';
  const handled = { id: 'handled', kind, by: overrideUserEmail, text: note, to: [] } as const;
  return [
    { ...handled, timestamp: iso(handledAt), to: [] },
    { ...raised, to: [] },
  ];
}
