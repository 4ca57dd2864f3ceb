/** Stores cosignatures of checkpoints. Callers check them first. */
import { sha256, toHex, utf8, formatVerifierKey } from '@sentinel-node/contracts';
import type { Cosignature, PolicyWitness, WitnessPolicy } from '@sentinel-node/contracts';
import { ConflictError, type DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CosignatureDocument, type CutDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { name: COSIGNATURES } = OWN_COLLECTIONS.cosignatures;
const KEY_DIGITS = 16;

/** Returns an id that sorts by batch. */
export function cosignatureId(batch: number, { key }: Pick<PolicyWitness, 'key'>): string {
  return `${batchId(batch)}-${toHex(sha256(utf8(formatVerifierKey(key)))).slice(0, KEY_DIGITS)}`;
}

/** Returns the cosignature of the log after the cut; undefined without one, or for another log of that size. */
export async function readCosignature(
  store: DocumentStore,
  { cut }: CutDocument,
  witness: PolicyWitness,
): Promise<CosignatureDocument | undefined> {
  const found = await store.get(COSIGNATURES, cosignatureId(cut.batch, witness));
  return found?.['root'] === cut.logRoot ? (found as CosignatureDocument) : undefined;
}

/** Returns whether a witness's time (s) is to come, further than clocks may differ: checkers do not count it. @param now in ms */
export const isAhead = (time: number, now: number): boolean =>
  time > (now + ANCHORING_LIMITS.witnessClockMs) / 1_000;

/**
 * Stores a cosignature of the log after the cut, unless the stored one is for the same log and at least as new. One that was stored
 * while the clocks were ahead is replaced too, and published again: until its time has come, it counts nowhere.
 * @param now milliseconds since 1970
 */
export async function keepCosignature(
  store: DocumentStore,
  { cut }: CutDocument,
  witness: PolicyWitness,
  { time, line }: Cosignature,
  now: number,
): Promise<void> {
  const id = cosignatureId(cut.batch, witness);
  const said = { id, batch: cut.batch, root: cut.logRoot, time, line };
  const before = await store.get(COSIGNATURES, id);
  try {
    if (before === undefined) await store.insertUnique(COSIGNATURES, { ...said, rev: 1, waiting: 1 });
    else if (before.root !== cut.logRoot)
      await store.update(COSIGNATURES, { ...said, rev: before.rev + 1, waiting: 1 }, before.rev);
    else if (isAhead(before.time, now))
      await store.update(COSIGNATURES, { ...said, rev: before.rev + 1, waiting: 1 }, before.rev);
    else if (time > before.time)
      await store.update(COSIGNATURES, { ...before, ...said, rev: before.rev + 1 }, before.rev);
  } catch (error) {
    // Another process is storing a cosignature of this witness.
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** Returns, for each of the cuts in order, the cosignatures of the policy's witnesses by their names in the policy. */
export async function cosignaturesOf(
  store: DocumentStore,
  { witnesses }: WitnessPolicy,
  cuts: readonly CutDocument[],
): Promise<ReadonlyMap<string, CosignatureDocument>[]> {
  const ids = cuts.flatMap(({ cut }) => witnesses.map((witness) => cosignatureId(cut.batch, witness)));
  const found = await store.getMany(COSIGNATURES, ids);
  const byId = new Map(found.map((document) => [document.id, document]));
  return cuts.map(({ cut }) => {
    const byName = new Map<string, CosignatureDocument>();
    for (const witness of witnesses) {
      const document = byId.get(cosignatureId(cut.batch, witness));
      if (document?.root === cut.logRoot) byName.set(witness.name, document);
    }
    return byName;
  });
}
