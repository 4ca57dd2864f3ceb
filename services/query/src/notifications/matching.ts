/** Which rules a notice meets. Pure. */
import { SEVERITIES, type NotificationRuleFields } from '@sentinel-node/contracts';
import type { Notice } from './notice.ts';

/**
 * Notices that are about no device are held by rules without devices, files and labels only.
 * @param labels of the notice's device and file
 */
export function isMet(
  { enabled, when }: Pick<NotificationRuleFields, 'enabled' | 'when'>,
  notice: Notice,
  labels: readonly string[],
): boolean {
  if (!enabled || !when.types.includes(notice.type)) return false;
  return (
    SEVERITIES.indexOf(notice.severity) >= SEVERITIES.indexOf(when.severity) &&
    (notice.alert === undefined || allows(when.alertTypes, notice.alert.type)) &&
    isOfSubjects(when, notice, labels) &&
    allows(when.categories, notice.category)
  );
}

/** None named: all. A rule that names devices, files and labels is met by one of them. */
function isOfSubjects(
  { deviceIds, fileIds, labels: wanted = [] }: NotificationRuleFields['when'],
  notice: Notice,
  labels: readonly string[],
): boolean {
  if (deviceIds.length + fileIds.length + wanted.length === 0) return true;
  return (
    has(deviceIds, notice.device?.id) ||
    has(fileIds, notice.file?.id) ||
    labels.some((label) => wanted.includes(label))
  );
}

const allows = (named: readonly string[], value: string | undefined): boolean =>
  named.length === 0 || has(named, value);

const has = (named: readonly string[], value: string | undefined): boolean =>
  value !== undefined && named.includes(value);
