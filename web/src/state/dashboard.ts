/** How the dashboard follows the live stream: what a frame says is put in place, and little is read again. */
import {
  AlertSchema,
  DashboardSchema,
  EventSchema,
  type Alert,
  type Dashboard,
} from '@sentinel-node/contracts';
import { Type } from 'typebox';
import { withEvent } from '../components/activity.ts';
import type { LiveItem } from './live.ts';
import { liveObject, upsert } from './live-object.ts';
import { RELOAD } from './use-resource.ts';

/** What a `summary` holds, beside its id. */
const { health, performance, activeAlerts, setAside, devices, notMonitored } = DashboardSchema.properties;
const SummarySchema = Type.Object({
  id: Type.String(),
  health,
  performance,
  activeAlerts,
  setAside,
  devices,
  notMonitored,
});
const LATEST_ALERTS = 3;
/** Events that are remembered, so that none is counted twice. */
const KEPT_EVENTS = 200;

export function applyToDashboard(data: Dashboard, item: LiveItem): Dashboard | typeof RELOAD {
  if (item.kind === 'summary') {
    const summary = liveObject(SummarySchema, item);
    if (summary === null) return RELOAD;
    const { id: _id, ...figures } = summary;
    return withAlerts({ ...data, ...figures }, data.alerts);
  }
  if (item.kind === 'alert') {
    const alert = liveObject(AlertSchema, item);
    return alert === null ? RELOAD : withAlerts(data, takeAlert(data.alerts, alert));
  }
  if (item.kind === 'event') return withNewEvent(data, item);
  // Whether a payment id is set is not told to everybody.
  return item.kind === 'organization' ? RELOAD : data;
}

function withNewEvent(data: Dashboard, item: LiveItem): Dashboard {
  const event = liveObject(EventSchema, item);
  if (event === null || data.events.some(({ id }) => id === event.id)) return data;
  const events = upsert(data.events, event).slice(0, KEPT_EVENTS);
  return { ...data, events, activity: withEvent(data.activity, event) };
}

/** The newest ones that ask for attention, with this alert as it is now. */
function takeAlert(alerts: Alert[], alert: Alert): Alert[] {
  const others = alerts.filter(({ id }) => id !== alert.id);
  return asksForAttention(alert) ? upsert(others, alert).slice(0, LATEST_ALERTS) : others;
}

/** What a window or a list sets aside is counted by itself. */
const asksForAttention = ({ status, planned, expected }: Alert): boolean =>
  status === 'ACTIVE' && expected === undefined && (planned === undefined || planned.reviewed);

/** One of the newest was handled, and which comes next is not known: it is read. */
function withAlerts(data: Dashboard, alerts: Alert[]): Dashboard | typeof RELOAD {
  const isShort = alerts.length < Math.min(LATEST_ALERTS, data.activeAlerts);
  return isShort && alerts.length < data.alerts.length ? RELOAD : { ...data, alerts };
}
