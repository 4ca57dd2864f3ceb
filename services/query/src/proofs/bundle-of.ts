/** Makes bundles: the proofs of all entries of a file between two numbers. */
import { BUNDLE_FORMAT, type Bundle, type BundleQuery } from '@sentinel-node/contracts';
import { anchorsAt, checkScope } from '../views/index.ts';
import { entriesBetween, linkHashBefore, type PlacedEntry, rangeOf } from './bundle-entries.ts';
import { BundleMaking, type Part } from './bundle-making.ts';
import { type FileKey, hashedFields, logOf, type ProofContext } from './proof-of.ts';

/**
 * Returns the bundle with all evidence so far; entries that wait for a batch are in the bundle without one.
 * @throws ApiError NOT_FOUND for an unknown file or unknown numbers; VALIDATION_FAILED, with a smaller range to ask
 * for; OVERLOADED and UNAVAILABLE (try again)
 */
export async function bundleOf(
  context: ProofContext,
  file: FileKey,
  asked: BundleQuery,
  member: string,
): Promise<Bundle> {
  const { store } = context;
  await checkScope(store, file);
  const { deviceId, fileId, orgId } = file;
  const range = await rangeOf(store, fileId, asked);
  const making = new BundleMaking(context, fileId, { orgId, member }, range);
  const previous = await linkHashBefore(store, fileId, range.from);
  const entries = await entriesBetween(context, fileId, range, (number) => making.checkTime(number));
  for (const entry of entries) making.count(hashedFields(entry.entry), entry.entry.number);
  for (const part of await partsOf(context, entries)) await making.add(part);
  return {
    format: BUNDLE_FORMAT,
    state: making.state,
    completeness: 'RANGE',
    log: logOf(context),
    subject: { type: 'FILE', id: fileId, deviceId, orgId },
    ...range,
    previous,
    entries: entries.map(({ entry }) => hashedFields(entry)),
    batches: making.batches,
    blocks: [...making.blocks.values()],
  };
}

/** Groups neighbouring entries of one batch. */
async function partsOf({ store }: ProofContext, entries: readonly PlacedEntry[]): Promise<Part[]> {
  const anchors = await anchorsAt(
    store,
    entries.map(({ position }) => position),
  );
  const parts: Part[] = [];
  for (const [at, { batch }] of anchors.entries()) {
    const { number } = entries[at]!.entry;
    const last = parts.at(-1);
    if (last?.batch === batch) parts[parts.length - 1] = { ...last, to: number };
    else parts.push({ batch, from: number, to: number });
  }
  return parts;
}
