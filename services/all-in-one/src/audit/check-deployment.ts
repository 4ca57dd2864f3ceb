import {
  DEPLOYMENT_COLLECTION,
  deploymentOf,
  type DocumentStore,
  type LogKey,
} from '@sentinel-node/platform';
import { differingFields } from './differing-fields.ts';
import type { Findings } from './finding.ts';

/** Compares what the first start recorded with what the master secret gives. That both have the same key, each command has compared. */
export async function checkDeployment(
  store: DocumentStore,
  logKey: Pick<LogKey, 'logId' | 'publicKey'>,
  findings: Findings,
): Promise<void> {
  const given = deploymentOf(logKey);
  await store.ensure([DEPLOYMENT_COLLECTION]);
  const say = (id: string, what: string) => findings.add('deployment', `${id}: ${what}`);
  if ((await store.get(DEPLOYMENT_COLLECTION.name, given.id)) === undefined)
    say(given.id, 'missing, the first start recorded it');
  for await (const page of store.scan(DEPLOYMENT_COLLECTION.name))
    for (const document of page) {
      const fields = differingFields(document, given);
      if (document.id !== given.id) say(document.id, 'nobody writes it');
      else if (fields !== '') say(given.id, `${fields} differ from what the master secret gives`);
    }
}
