import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { newestOf, type DocumentStore } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';
import { formFault } from './form-fault.ts';
import type { Patience } from './wait-past.ts';

const { cuts, heads: stored } = OWN_COLLECTIONS;

const MEMBERS = { id: true, rev: true, number: true } as const;

/**
 * Compares the stored last anchored entry of each file with the batches: by an earlier one an entry would be put into a
 * second batch, by a later one into none.
 * @param heads number of the last entry of each file in the batches of the log
 */
export async function checkHeads(
  store: DocumentStore,
  heads: ReadonlyMap<string, number>,
  { isLive }: Pick<Patience, 'isLive'>,
  findings: Findings,
): Promise<void> {
  await store.ensure([cuts, stored]);
  const isAhead = isLive || (await isCutUnpublished(store));
  const seen = new Set<string>();
  for await (const page of store.scan(stored.name))
    for (const head of page) {
      const { id, number, rev } = head;
      seen.add(id);
      const last = heads.get(id) ?? -1;
      // What is no number is neither greater nor less.
      const isLater = isAhead && Number.isSafeInteger(number) && number > last;
      if (number !== last && !isLater) say(findings, id, number, last);
      // A later entry is written with a higher one only.
      else if (rev !== number + 1)
        findings.add('anchors', `FILE ${id}: its last anchored entry is stored with revision ${rev}`);
      const fault = formFault(head, MEMBERS);
      if (fault !== undefined) findings.add('anchors', `FILE ${id}: of its last anchored entry, ${fault}`);
    }
  for (const [id, last] of heads) if (!seen.has(id)) say(findings, id, -1, last);
}

/** Returns whether the newest cut is not on the log yet, while the heads already have it. */
async function isCutUnpublished(store: DocumentStore): Promise<boolean> {
  const newest = await newestOf(store, cuts.name);
  return newest?.unpublished !== undefined;
}

function say(findings: Findings, id: string, number: number, last: number): void {
  const has = `the store has ${entryText(number)} as the last anchored one`;
  findings.add('anchors', `FILE ${id}: ${has}, the batches have ${entryText(last)}`);
}

const entryText = (number: number): string =>
  Number.isSafeInteger(number) && number >= 0 ? `entry ${number}` : 'no entry';
