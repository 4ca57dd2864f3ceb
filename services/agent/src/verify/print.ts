/** Results of the checks as JSON, for programs. */
import {
  endOf,
  shownTime,
  type CheckConclusion,
  type CheckedBundle,
  type CheckedProof,
  type HeaderChain,
} from '@sentinel-node/contracts';

/** Returns one proof as it is; of two, the end of the whole check, both, and what their comparison gives (null: not compared). */
export function conclusionAsJson(
  checked: readonly CheckedProof[],
  { end, pairs: [pair] }: CheckConclusion,
): object {
  const proofs = checked.map(asJson);
  const { conflicts = null, warnings = null } = pair ?? {};
  return checked.length === 1 ? proofs[0]! : { outcome: end, proofs, conflicts, warnings };
}

function asJson(checked: CheckedProof): object {
  const { file, headers, verdict } = checked;
  const { holds, fails, claimed, warnings, block } = verdict;
  const outcome = endOf(checked);
  const seen = block && { ...block, time: shownTime(block.time) };
  return { outcome, holds, fails, claimed, warnings, block: seen, headers: headersAsJson(headers), file };
}

export function bundleAsJson(checked: CheckedBundle): object {
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
