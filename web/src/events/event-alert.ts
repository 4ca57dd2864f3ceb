import { AlertSchema } from '@sentinel-node/contracts';
import type { Alert, Event } from '../answers.ts';
import type { LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';

/** Updates the alert's status in the events that raised it. */
export function withAlert(events: Event[], item: LiveItem): Event[] {
  const fresh = item.kind === 'alert' ? liveObject(AlertSchema, item) : null;
  if (fresh === null || !events.some((event) => isStale(event, fresh))) return events;
  const alert = { type: fresh.type, status: fresh.status };
  return events.map((event) => (isStale(event, fresh) ? { ...event, alert } : event));
}

const isStale = ({ alertId, alert }: Event, { id, status }: Alert): boolean =>
  alertId === id && alert?.status !== status;
