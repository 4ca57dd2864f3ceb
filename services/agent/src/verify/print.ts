import { shownTime, type CheckedProof } from '@sentinel-node/contracts';

/** What is found of one proof, for programs. */
export function asJson({ file, headers, verdict }: CheckedProof): object {
  const { outcome, holds, fails, claimed, warnings, block } = verdict;
  const seen = block && { ...block, time: shownTime(block.time) };
  const chain = headers && {
    work: String(headers.work),
    tipTime: shownTime(headers.tipTime),
    uncalculated: headers.uncalculated,
  };
  return { outcome, holds, fails, claimed, warnings, block: seen, headers: chain, file };
}
