/** Results of the checks as JSON, for programs. */
import {
  endOf,
  isCheckedBundle,
  shownTime,
  type CheckConclusion,
  type CheckedBundle,
  type CheckedDocument,
  type CheckedProof,
  type HeaderChain,
} from '@sentinel-node/contracts';

/**
 * Returns one document as it is; of two, the end of the whole check, both, and what their comparison gives (null: not compared):
 * the codes of the conflicts, and `conflictNumbers`, the numbers of the entries or batches of each.
 */
export function conclusionAsJson(
  checked: readonly CheckedDocument[],
  { end, pairs: [pair] }: CheckConclusion,
): object {
  const proofs = checked.map((one) => (isCheckedBundle(one) ? bundleAsJson(one) : proofAsJson(one)));
  const [only] = proofs;
  if (proofs.length === 1 && only !== undefined) return only;
  const conflicts = pair?.conflicts.map(({ code }) => code) ?? null;
  const conflictNumbers = Object.fromEntries(
    pair?.conflicts.map(({ code, numbers }) => [code, numbers]) ?? [],
  );
  return { outcome: end, proofs, conflicts, conflictNumbers, warnings: pair?.warnings ?? null };
}

function proofAsJson(checked: CheckedProof): object {
  const { file, headers, verdict } = checked;
  const { holds, fails, claimed, warnings, block } = verdict;
  const outcome = endOf(checked);
  const seen = block && { ...block, time: shownTime(block.time) };
  return { outcome, holds, fails, claimed, warnings, block: seen, headers: headersAsJson(headers), file };
}

function bundleAsJson(checked: CheckedBundle): object {
  const { file, headers, verdict } = checked;
  const { claimed, entries, fails, holds, warnings } = verdict;
  return {
    outcome: endOf(checked),
    holds,
    fails,
    claimed,
    warnings,
    entries,
    headers: headersAsJson(headers),
    file,
  };
}

function headersAsJson(headers: HeaderChain | undefined): object | undefined {
  if (headers === undefined) return undefined;
  const { tipTime, uncalculated, work } = headers;
  return { work: String(work), tipTime: shownTime(tipTime), uncalculated };
}
