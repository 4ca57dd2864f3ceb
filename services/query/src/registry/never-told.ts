/** Finds types of notices that a rule names and that its other conditions exclude. Pure. */
import {
  SEVERITIES,
  type NoticeType,
  type NotificationRuleFields,
  type Severity,
} from '@sentinel-node/contracts';

type When = NotificationRuleFields['when'];

export const NEVER_MET =
  'can never be met: the severity, the categories or the files exclude every chosen type';

/** The greatest severity of a type; `byCategory`: critical for the category MISSION_CRITICAL, else warning. */
const GREATEST: Readonly<Record<Exclude<NoticeType, 'test'>, Severity | 'byCategory'>> = {
  'alert.raised': 'byCategory',
  'alert.handled': 'info',
  'alert.continued': 'byCategory',
  'device.lost': 'byCategory',
  'device.returned': 'info',
  'file.lost': 'byCategory',
  'file.returned': 'info',
  'agent.blind': 'byCategory',
  'monitoring.stopped': 'byCategory',
  'chain.reset': 'info',
  'device.deleted': 'byCategory',
  'file.deleted': 'byCategory',
  'key.rotated': 'info',
  'evidence.failed': 'critical',
  'funds.low': 'warning',
  'funds.restored': 'info',
  'anchoring.stopped': 'critical',
  'anchoring.resumed': 'info',
};

/** Types that name a device and never a file. */
const OF_DEVICE: readonly NoticeType[] = ['device.lost', 'device.returned', 'device.deleted', 'key.rotated'];

/** Returns the types of the rule that no notice can have and meet the rule. A test goes to its caller only. */
export const neverTold = (when: When): NoticeType[] => when.types.filter((type) => !canMeet(type, when));

function canMeet(type: NoticeType, { severity, categories, deviceIds, fileIds, labels = [] }: When): boolean {
  if (type === 'test') return false;
  const isCritical = categories.length === 0 || categories.includes('MISSION_CRITICAL');
  const greatest = GREATEST[type];
  const most = greatest !== 'byCategory' ? greatest : isCritical ? 'critical' : 'warning';
  if (SEVERITIES.indexOf(most) < SEVERITIES.indexOf(severity)) return false;
  const isOfFilesOnly = fileIds.length > 0 && deviceIds.length + labels.length === 0;
  return !(isOfFilesOnly && OF_DEVICE.includes(type));
}
