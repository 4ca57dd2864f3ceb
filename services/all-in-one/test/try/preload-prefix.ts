/**
 * Preload of a service or a command that renames topics and consumer groups for this run, so that it touches
 * nothing of another system on the cluster. The names are the product's constants, changed before the product
 * reads them.
 */
import { CONSUMED, GROUPS, TOPICS } from '@sentinel-node/contracts';
import { tryPrefix } from './prefix.ts';

const prefix = tryPrefix();
const named = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, `${prefix}${value}`]));
Object.assign(TOPICS, named(TOPICS));
Object.assign(GROUPS, named(GROUPS));
for (const one of CONSUMED) Object.assign(one, named(one));
