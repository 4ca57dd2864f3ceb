import type { Report } from '@sentinel-node/contracts';

const COLONS_OF_A_TIME = 2;
const MEMBERS_OF_A_VERSION = 2;

/**
 * Returns whether an object of `text` may repeat a member name. Counting alone gives false for nearly every report.
 * Readers of repeated names disagree on the value (RFC 8259 section 4), so the bytes of such a report would not prove
 * its content; I-JSON (RFC 7493) forbids repeated names.
 * @param text the JSON of `report`, which fits its schema
 */
export function mayRepeatNames(text: string, report: Report): boolean {
  const countable =
    report.archives === undefined &&
    report.error === undefined &&
    report.signature === undefined &&
    report.attributes?.linkTarget === undefined &&
    !text.includes('\\');
  if (!countable) return true;
  // Only times have colons inside strings, so every other colon belongs to a member; one too many shows a repeated
  // name.
  const { attributes = {}, versions } = report;
  const members =
    Object.keys(report).length + Object.keys(attributes).length + versions.length * MEMBERS_OF_A_VERSION;
  const times = 'mtime' in attributes ? 2 : 1;
  return countColons(text) !== members + times * COLONS_OF_A_TIME;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}
