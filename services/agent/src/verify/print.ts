/** Results of the checks as JSON, for programs. */
import { shownTime, type CheckedBundle, type CheckedProof, type HeaderChain } from '@sentinel-node/contracts';

export function asJson({ file, headers, verdict }: CheckedProof): object {
  const { outcome, holds, fails, claimed, warnings, block } = verdict;
  const seen = block && { ...block, time: shownTime(block.time) };
  return { outcome, holds, fails, claimed, warnings, block: seen, headers: headersAsJson(headers), file };
}

export function bundleAsJson({ file, headers, verdict }: CheckedBundle): object {
  const { claimed, entries, fails, holds, outcome, warnings } = verdict;
  return { outcome, holds, fails, claimed, warnings, entries, headers: headersAsJson(headers), file };
}

function headersAsJson(headers: HeaderChain | undefined): object | undefined {
  if (headers === undefined) return undefined;
  const { tipTime, uncalculated, work } = headers;
  return { work: String(work), tipTime: shownTime(tipTime), uncalculated };
}
