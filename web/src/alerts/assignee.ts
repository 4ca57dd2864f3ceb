/** An alert of a deleted user is nobody's: no frame of the alert tells of that, only the one of the user. */
import type { Alert } from '../answers.ts';
import type { LiveItem } from '../state/live.ts';

/** Returns the id of the user whose deletion an item tells; null for every other item. */
export function deletedUserOf({ kind, data: { id, deleted } }: LiveItem): string | null {
  return kind === 'user' && deleted === true && typeof id === 'string' ? id : null;
}

/** Returns the alerts, those of a user whose deletion the item tells without assignee. */
export function withoutDeleted(alerts: Alert[], item: LiveItem): Alert[] {
  const gone = deletedUserOf(item);
  if (gone === null || !alerts.some(({ assignee }) => assignee?.userId === gone)) return alerts;
  return alerts.map((alert) => {
    const { assignee, ...rest } = alert;
    return assignee?.userId === gone ? rest : alert;
  });
}
