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

/** Types of no device: devices, files and labels of a rule do not limit them. */
const OF_NO_DEVICE: readonly NoticeType[] = [
  'evidence.failed',
  'funds.low',
  'funds.restored',
  'anchoring.stopped',
  'anchoring.resumed',
];

/**
 * Returns the types of the rule that no notice can have and meet the rule. A test goes to its caller only.
 * @param isLeft whether one of the devices and files that the rule names is still there
 */
export const neverTold = (when: When, isLeft = true): NoticeType[] =>
  when.types.filter((type) => !canMeet(type, when, isLeft));

function canMeet(
  type: NoticeType,
  { severity, categories, deviceIds, fileIds, labels = [] }: When,
  isLeft: boolean,
): boolean {
  if (type === 'test') return false;
  if (!isLeft && labels.length === 0 && !OF_NO_DEVICE.includes(type)) return false;
  const isCritical = categories.length === 0 || categories.includes('MISSION_CRITICAL');
  const greatest = GREATEST[type];
  const most = greatest !== 'byCategory' ? greatest : isCritical ? 'critical' : 'warning';
  if (SEVERITIES.indexOf(most) < SEVERITIES.indexOf(severity)) return false;
  const isOfFilesOnly = fileIds.length > 0 && deviceIds.length + labels.length === 0;
  return !(isOfFilesOnly && OF_DEVICE.includes(type));
}
