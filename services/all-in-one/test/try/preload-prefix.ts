/**
 * Loaded before a service or a command: topics and consumer groups have names of this run, so that nothing of a system
 * that lives on the same cluster is touched. Names are constants of the product; they are changed before it reads them.
 */
import { CONSUMED, GROUPS, TOPICS } from '@sentinel-node/contracts';
import { tryPrefix } from './prefix.ts';

const prefix = tryPrefix();
const named = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, `${prefix}${value}`]));
Object.assign(TOPICS, named(TOPICS));
Object.assign(GROUPS, named(GROUPS));
for (const one of CONSUMED) Object.assign(one, named(one));
