/** Which rules a notice meets. Pure. */
import { SEVERITIES, type NotificationRuleFields } from '@sentinel-node/contracts';
import type { Notice } from './notice.ts';

/** Notices that are about no device are held by rules without devices and files only. */
export function isMet(
  { enabled, when }: Pick<NotificationRuleFields, 'enabled' | 'when'>,
  notice: Notice,
): boolean {
  if (!enabled || !when.types.includes(notice.type)) return false;
  return (
    SEVERITIES.indexOf(notice.severity) >= SEVERITIES.indexOf(when.severity) &&
    (notice.alert === undefined || allows(when.alertTypes, notice.alert.type)) &&
    isOfSubjects(when, notice) &&
    allows(when.categories, notice.category)
  );
}

/** None named: all. A rule that names devices and files is met by either. */
function isOfSubjects({ deviceIds, fileIds }: NotificationRuleFields['when'], notice: Notice): boolean {
  if (deviceIds.length + fileIds.length === 0) return true;
  return has(deviceIds, notice.device?.id) || has(fileIds, notice.file?.id);
}

const allows = (named: readonly string[], value: string | undefined): boolean =>
  named.length === 0 || has(named, value);

const has = (named: readonly string[], value: string | undefined): boolean =>
  value !== undefined && named.includes(value);
