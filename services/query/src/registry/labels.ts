/** Labels of devices and files. Pure. */
import { labelKey } from '@sentinel-node/contracts';
import { invalid, type Refused } from './decision.ts';

interface Labelled {
  readonly labels?: string[];
}

/** In one order, so that the same labels are equal. @param given absent: those of before */
export function labelsOf(given: readonly string[] | undefined, before: Labelled | undefined): Labelled {
  const labels = given === undefined ? before?.labels : [...given].sort();
  return labels === undefined || labels.length === 0 ? {} : { labels };
}

/** @param path of the object in the request, a JSON Pointer */
export function labelProblem({ labels = [] }: Labelled, path = ''): Refused | undefined {
  const keys = labels.map(labelKey);
  const twice = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (twice === -1) return undefined;
  return invalid({ path: `${path}/labels/${twice}`, message: `the key ${keys[twice]!} stands twice` });
}
