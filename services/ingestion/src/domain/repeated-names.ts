import type { Report } from '@sentinel-node/contracts';

const COLONS_OF_A_TIMESTAMP = 2;
const MEMBERS_OF_A_VERSION = 2;

/**
 * Returns whether an object of `text` may repeat a member name. Counting alone gives false for nearly every report.
 * Readers of repeated names disagree on the value (RFC 8259 section 4), so that the bytes of a report would be no
 * evidence of its content; I-JSON (RFC 7493) forbids repeated names.
 * @param text JSON that gave `report`, which fits its schema
 */
export function mayRepeatNames(text: string, report: Report): boolean {
  const countable =
    report.archives === undefined &&
    report.error === undefined &&
    report.signature === undefined &&
    !text.includes('\\');
  if (!countable) return true;
  // No string but the timestamp holds a colon, so each other colon belongs to a member: an extra colon is a repeated
  // member.
  const members = Object.keys(report).length + report.versions.length * MEMBERS_OF_A_VERSION;
  return countColons(text) !== members + COLONS_OF_A_TIMESTAMP;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}
