/** Cosignatures of checkpoints in the store: checked before they come here. */
import { sha256, toHex, utf8, formatVerifierKey } from '@sentinel-node/contracts';
import type { Cosignature, PolicyWitness, WitnessPolicy } from '@sentinel-node/contracts';
import { ConflictError, type DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CosignatureDocument, type CutDocument } from '../collections.ts';

const { name: COSIGNATURES } = OWN_COLLECTIONS.cosignatures;
const KEY_DIGITS = 16;

/** Sorts by batch. */
export function cosignatureId(batch: number, { key }: Pick<PolicyWitness, 'key'>): string {
  return `${batchId(batch)}-${toHex(sha256(utf8(formatVerifierKey(key)))).slice(0, KEY_DIGITS)}`;
}

/** Of the log after the cut; undefined when there is none, or it is of another log of that size. */
export async function readCosignature(
  store: DocumentStore,
  { cut }: CutDocument,
  witness: PolicyWitness,
): Promise<CosignatureDocument | undefined> {
  const found = await store.get(COSIGNATURES, cosignatureId(cut.batch, witness));
  return found?.['root'] === cut.logRoot ? (found as CosignatureDocument) : undefined;
}

/** Keeps a cosignature of the log after the cut, if it is newer than the one that is there. */
export async function keepCosignature(
  store: DocumentStore,
  { cut }: CutDocument,
  witness: PolicyWitness,
  { time, line }: Cosignature,
): Promise<void> {
  const id = cosignatureId(cut.batch, witness);
  const said = { id, batch: cut.batch, root: cut.logRoot, time, line };
  const before = await store.get(COSIGNATURES, id);
  try {
    if (before === undefined) await store.insertUnique(COSIGNATURES, { ...said, rev: 1, waiting: 1 });
    else if (before.root !== cut.logRoot)
      await store.update(COSIGNATURES, { ...said, rev: before.rev + 1, waiting: 1 }, before.rev);
    else if (time > before.time)
      await store.update(COSIGNATURES, { ...before, ...said, rev: before.rev + 1 }, before.rev);
  } catch (error) {
    // Another process keeps one, of this witness and of now.
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** Of the policy's witnesses, by their names in it, for each of the cuts in their order. */
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
