/** Labels of devices and files. Pure. */
import { labelKey } from '@sentinel-node/contracts';
import { invalid, type Refused } from './decision.ts';

interface Labelled {
  readonly labels?: string[];
}

/** Returns sorted labels, so that equal sets are equal. @param given absent: keep the earlier labels */
export function labelsOf(given: readonly string[] | undefined, before: Labelled | undefined): Labelled {
  const labels = given === undefined ? before?.labels : [...given].sort();
  return labels === undefined || labels.length === 0 ? {} : { labels };
}

/**
 * Returns a refusal when two labels have the same key. @param path of the object in the request, a JSON
 * Pointer
 */
export function labelProblem({ labels = [] }: Labelled, path = ''): Refused | undefined {
  const keys = labels.map(labelKey);
  const twice = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (twice === -1) return undefined;
  return invalid({ path: `${path}/labels/${twice}`, message: `the key ${keys[twice]!} stands twice` });
}
