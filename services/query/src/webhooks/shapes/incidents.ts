/** Which notices begin, continue and end one incident, for receivers that keep incidents or findings open. Pure. */
import type { Notice, NoticeType } from '../../notifications/index.ts';

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

/** Returns the key of the notice's incident; undefined for a notice that no other one ends. */
export function incidentOf({ type, file, orderKey }: Notice): string | undefined {
  // A file that the agent does not look at returns as a lost one does.
  const incident = type === 'agent.blind' && file !== undefined ? 'contact' : INCIDENTS[type];
  return incident === undefined ? undefined : `${orderKey}/${incident}`;
}

export const endsIncident = ({ type, ends }: Notice): boolean => ends === true || ENDS.has(type);
