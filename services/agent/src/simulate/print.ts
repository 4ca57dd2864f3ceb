import type { LatencySummary } from './latencies.ts';
import type { PlanResult } from './run-plan.ts';

/** Most devices or files named in a line. */
const NAMED = 3;

/** Returns a line for each way in which the server bore less load than was asked for; empty when it bore all. */
export function shortfalls(result: PlanResult): string[] {
  const { agents, notReady, unknownFiles, planned, plannedMade, skipped } = result;
  const lines: string[] = [];
  if (notReady.length > 0)
    lines.push(
      `${count(notReady.length)} of ${count(agents)} agents had no answer when reports began, and made none: ${named(notReady)}`,
    );
  if (unknownFiles.length > 0)
    lines.push(
      `the server does not have ${count(unknownFiles.length)} files, which made no version (download the configurations again): ${named(unknownFiles)}`,
    );
  if (plannedMade < planned)
    lines.push(`${count(plannedMade)} of ${count(planned)} planned versions were made`);
  if (skipped > 0) lines.push(`${count(skipped)} reports were skipped, because too many waited`);
  return lines;
}

const named = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`;

/** Returns the result of a simulation as text for the operator. */
export function resultText(result: PlanResult): string {
  const { calls, causes, heartbeats } = result;
  const lines = [
    `agents      ${count(result.agents)}, answered: ${count(result.ready)}`,
    `made        ${count(result.made)} reports${result.skipped === 0 ? '' : `; ${count(result.skipped)} skipped, because too many waited`}`,
    `sent        ${count(result.sent)} in ${count(calls.single)} single and ${count(calls.bulk)} bulk calls, ${count(calls.failed)} of which failed`,
    `accepted    ${count(result.accepted)}, the last at ${result.lastAcceptedAt ?? 'no time'}`,
    `refused     ${count(result.refused)}`,
    `lost        ${count(result.lost)}`,
    `heartbeats  ${count(heartbeats.sent)}, answered: ${count(heartbeats.answered)}`,
    `call        ${times(result.callMs)}`,
    `made to 202 ${times(result.acceptedMs)}`,
    ...Object.entries(causes).map(([cause, times]) => `failure     ${count(times)} times ${cause}`),
  ];
  return `${lines.join('\n')}\n`;
}

const count = (number: number): string => number.toLocaleString('en');

function times({ p50, p95, p99, max }: LatencySummary): string {
  const ms = (time: number | null): string => (time === null ? '-' : `${time.toFixed(1)} ms`);
  return `half within ${ms(p50)}, 95 % ${ms(p95)}, 99 % ${ms(p99)}, longest ${ms(max)}`;
}
