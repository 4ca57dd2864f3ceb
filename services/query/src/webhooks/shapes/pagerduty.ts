/** Makes an event of PagerDuty's Events API v2 (developer.pagerduty.com/docs/send-alert-event). Pure. */
import { Type, type Static } from 'typebox';
import type { Notice, NoticeType } from '../../notifications/index.ts';
import { cut, linkOf, rowsOf, type ShapeOptions } from './facts.ts';

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

/** Notices that resolve an incident. */
const ENDS: ReadonlySet<NoticeType> = new Set([
  'alert.handled',
  'chain.reset',
  'device.returned',
  'file.returned',
  'funds.restored',
  'anchoring.resumed',
]);
const INCIDENTS: Partial<Record<NoticeType, string>> = {
  'alert.raised': 'alert',
  'alert.continued': 'alert',
  'alert.handled': 'alert',
  'chain.reset': 'alert',
  'device.lost': 'contact',
  'device.returned': 'contact',
  'file.lost': 'contact',
  'file.returned': 'contact',
  'funds.low': 'funds',
  'funds.restored': 'funds',
  'anchoring.stopped': 'anchoring',
  'anchoring.resumed': 'anchoring',
};

/** A file that the agent does not look at returns as a lost one does. */
const incidentOf = ({ type, file }: Notice): string =>
  type === 'agent.blind' && file !== undefined ? 'contact' : (INCIDENTS[type] ?? type);

export function pagerDutyEvent(notice: Notice, options: ShapeOptions): PagerDutyEvent {
  const { id, type, orderKey, text, device, severity, at, ends } = notice;
  return {
    routing_key: options.routingKey ?? '',
    event_action: ends === true || ENDS.has(type) ? 'resolve' : 'trigger',
    dedup_key: cut(`${orderKey}/${incidentOf(notice)}`, DEDUP_KEY),
    payload: {
      summary: cut(text, SUMMARY),
      source: device?.name || 'Sentinel Node',
      severity,
      timestamp: at,
      class: type,
      custom_details: { ...Object.fromEntries(rowsOf(notice)), Notice: id },
    },
    links: [{ href: linkOf(notice, options), text: 'Open in the console' }],
  };
}
