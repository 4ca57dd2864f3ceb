/** Makes an event of PagerDuty's Events API v2 (developer.pagerduty.com/docs/send-alert-event). Pure. */
import { visible } from '@sentinel-node/contracts';
import { Type, type Static } from 'typebox';
import type { Notice } from '../../notifications/index.ts';
import { cut, linkOf, rowsOf, type ShapeOptions } from './facts.ts';
import { endsIncident, incidentOf } from './incidents.ts';

/** Characters. */
const SUMMARY = 1_024;
const DEDUP_KEY = 255;

export const PagerDutySchema = Type.Object({
  routing_key: Type.String({ minLength: 1 }),
  event_action: Type.Enum(['trigger', 'resolve']),
  dedup_key: Type.String({ minLength: 1, maxLength: DEDUP_KEY, description: 'one incident' }),
  payload: Type.Object({
    summary: Type.String({ minLength: 1, maxLength: SUMMARY }),
    source: Type.String({ minLength: 1 }),
    severity: Type.Enum(['info', 'warning', 'critical']),
    timestamp: Type.String(),
    class: Type.String(),
    custom_details: Type.Record(Type.String(), Type.String()),
  }),
  links: Type.Tuple([Type.Object({ href: Type.String(), text: Type.String() })]),
});
type PagerDutyEvent = Static<typeof PagerDutySchema>;

export function pagerDutyEvent(notice: Notice, options: ShapeOptions): PagerDutyEvent {
  const { id, type, orderKey, text, device, severity, at } = notice;
  return {
    routing_key: options.routingKey ?? '',
    event_action: endsIncident(notice) ? 'resolve' : 'trigger',
    dedup_key: cut(incidentOf(notice) ?? `${orderKey}/${type}`, DEDUP_KEY),
    payload: {
      summary: cut(text, SUMMARY),
      source: visible(device?.name || 'Sentinel Node'),
      severity,
      timestamp: at,
      class: type,
      custom_details: { ...Object.fromEntries(rowsOf(notice)), Notice: id },
    },
    links: [{ href: linkOf(notice, options), text: 'Open in the console' }],
  };
}
