/** Decides which rules a notice meets. Pure. */
import { SEVERITIES, type NotificationRuleFields } from '@sentinel-node/contracts';
import type { Notice } from './notice.ts';

/**
 * Returns whether a notice meets a rule. Devices, files, labels and categories of the rule do not limit a notice without
 * a device, as that anchoring has stopped: whoever chose both its type and a device would never hear of it.
 * @param labels of the notice's device and file
 */
export function meetsRule(
  { enabled, when }: Pick<NotificationRuleFields, 'enabled' | 'when'>,
  notice: Notice,
  labels: readonly string[],
): boolean {
  if (!enabled || !when.types.includes(notice.type)) return false;
  return (
    SEVERITIES.indexOf(notice.severity) >= SEVERITIES.indexOf(when.severity) &&
    (notice.alert === undefined || allows(when.alertTypes, notice.alert.type)) &&
    (notice.device === undefined ||
      (isOfSubjects(when, notice, labels) && allows(when.categories, notice.category)))
  );
}

/** A rule without devices, files and labels covers everything; else one of them has to match. */
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
