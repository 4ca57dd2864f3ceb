/** Assignments and comments of alerts (decision 050). Pure: the chain holds neither. */
import { LIMITS, type AlertEntity } from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { note } from './notes.ts';

/** The alert of a command, as the view has it. */
export type AlertSubject = Pick<AlertEntity, 'id' | 'orgId' | 'deviceId' | 'fileId'>;
export type Assignee = NonNullable<AlertEntity['assignee']>;

export type AlertCommand =
  | {
      readonly type: 'ASSIGN';
      readonly of: AlertSubject;
      /** null to assign nobody. */
      readonly assignee: Assignee | null;
      /** An ADMIN assigns anybody; others take an unassigned alert or give their own back. */
      readonly byAdmin: boolean;
      /** The deleted user, if any, to whom the alert was assigned last: it is nobody's now. */
      readonly deletedAssignee?: string;
    }
  | { readonly type: 'COMMENT'; readonly of: AlertSubject; readonly text: string };

export function decideAlert(
  command: AlertCommand,
  alert: AlertEntity | undefined,
  stamp: Stamp,
): Decision<AlertEntity> {
  const limit = LIMITS.alertChanges;
  const isFull = stamp.version > limit;
  if (command.type === 'ASSIGN' && alert?.assignee?.userId === command.assignee?.userId) return UNCHANGED;
  if (isFull) return refuse('LIMIT_REACHED', `An alert has at most ${limit} assignments and comments.`);
  return command.type === 'ASSIGN' ? assign(command, alert, stamp) : comment(command, alert, stamp);
}

function assign(
  { of, assignee, byAdmin, deletedAssignee }: Extract<AlertCommand, { type: 'ASSIGN' }>,
  alert: AlertEntity | undefined,
  { by }: Stamp,
): Decision<AlertEntity> {
  const isOwn = ({ userId }: Assignee): boolean => userId === by?.userId || userId === deletedAssignee;
  if (!byAdmin && ![alert?.assignee, assignee].every((one) => !one || isOwn(one)))
    return refuse(
      'FORBIDDEN',
      'You can take an alert that nobody has, and give your own back. An ADMIN assigns alerts to others.',
    );
  const text = note(by, { to: assignee?.email ?? null });
  const entity = { ...present(of, alert), assignee, lastChange: { type: 'ASSIGNED', assignee } as const };
  return changed(entity, 'ASSIGN_ALERT', text);
}

function comment(
  { of, text }: Extract<AlertCommand, { type: 'COMMENT' }>,
  alert: AlertEntity | undefined,
  { by }: Stamp,
): Decision<AlertEntity> {
  const before = present(of, alert);
  const lastChange = { type: 'COMMENTED', text } as const;
  const entity = { ...before, comments: before.comments + 1, lastChange };
  return changed(entity, 'COMMENT_ALERT', note(by, { comment: text }));
}

const present = (of: AlertSubject, alert: AlertEntity | undefined): Omit<AlertEntity, 'lastChange'> => ({
  kind: 'ALERT',
  ...of,
  assignee: alert?.assignee ?? null,
  comments: alert?.comments ?? 0,
});

function changed(entity: AlertEntity, type: EventDraft['type'], text: string): Decision<AlertEntity> {
  const { deviceId, fileId, id: alertId } = entity;
  return {
    kind: 'changed',
    entity,
    events: [{ type, deviceId, fileId, alertId, note: text }],
    policies: [],
  };
}
