/** Updates the dashboard from frames of the live stream, with few further reads. */
import { AlertSchema, DashboardSchema, EventSchema } from '@sentinel-node/contracts';
import type { Alert, Dashboard } from '../answers.ts';
import { Type } from 'typebox';
import { withEvent } from '../activity.ts';
import { COUNTED_MAX, countedOf, isCounted } from '../state/counted-events.ts';
import type { LiveItem } from '../state/live.ts';
import { isOfMaintenance } from '../state/maintenance.ts';
import { liveObject, upsert } from '../state/live-object.ts';
import { RELOAD } from '../state/use-resource.ts';

/** Members of a `summary` besides its id. */
const { health, performance, activeAlerts, setAside, devices, notMonitored, notJudged } =
  DashboardSchema.properties;
const SummarySchema = Type.Object({
  id: Type.String(),
  health,
  performance,
  activeAlerts,
  setAside,
  devices,
  notMonitored,
  notJudged,
});
const LATEST_ALERTS = 3;
/** The server gives so many of the newest events; with fewer there are no others. */
const NEWEST_EVENTS = 10;

export function applyToDashboard(data: Dashboard, item: LiveItem): Dashboard | typeof RELOAD {
  if (item.kind === 'summary') {
    const summary = liveObject(SummarySchema, item);
    if (summary === null) return RELOAD;
    const { id: _id, ...figures } = summary;
    // Absent from a summary: no file is left that is not judged.
    const { notJudged: _notJudged, ...others } = data;
    return withAlerts({ ...others, ...figures }, data.alerts);
  }
  if (item.kind === 'alert') {
    const alert = liveObject(AlertSchema, item);
    return alert === null ? RELOAD : withAlerts(data, takeAlert(data.alerts, alert));
  }
  // Read again: no frame tells how many windows wait for review.
  if (isOfMaintenance(item)) return RELOAD;
  if (item.kind === 'event') return withNewEvent(data, item);
  // Read again: the frame does not tell everybody whether a payment id is set.
  return item.kind === 'organization' ? RELOAD : data;
}

function withNewEvent(data: Dashboard, item: LiveItem): Dashboard {
  const event = liveObject(EventSchema, item);
  if (event === null || isCounted(countedOf(data.events, NEWEST_EVENTS), event.id)) return data;
  const events = upsert(data.events, event).slice(0, COUNTED_MAX);
  return { ...data, events, activity: withEvent(data.activity, event) };
}

/** Returns the newest alerts that need attention, with this alert updated. */
function takeAlert(alerts: Alert[], alert: Alert): Alert[] {
  const others = alerts.filter(({ id }) => id !== alert.id);
  return asksForAttention(alert) ? upsert(others, alert).slice(0, LATEST_ALERTS) : others;
}

/** Returns whether an alert needs attention; alerts that a window or list sets aside are counted separately. */
const asksForAttention = ({ status, planned, expected }: Alert): boolean =>
  status === 'ACTIVE' && expected === undefined && (planned === undefined || planned.reviewed);

/** Returns the data with these alerts, or RELOAD when one was handled and the next newest is unknown. */
function withAlerts(data: Dashboard, alerts: Alert[]): Dashboard | typeof RELOAD {
  const isShort = alerts.length < Math.min(LATEST_ALERTS, data.activeAlerts);
  return isShort && alerts.length < data.alerts.length ? RELOAD : { ...data, alerts };
}
