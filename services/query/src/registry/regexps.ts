/**
 * Checks the number and size of a request's expressions for rolled files. Pure: the RE2 syntax is checked
 * elsewhere.
 */
import { LIMITS, regexpProgramSteps, type DeviceEntity } from '@sentinel-node/contracts';
import type { FieldProblem } from './decision.ts';
import type { FileChange } from './files.ts';

const at = (index: number, message: string): FieldProblem => ({
  path: `/files/${index}/rolledFilenameRegexp`,
  message,
});

/**
 * Returns the expressions that the device does not have yet, each with the index of its first file in the
 * request.
 */
export function newRegexps(
  device: DeviceEntity | undefined,
  changes: readonly FileChange[],
): Map<string, number> {
  const present = new Set(device?.files.map(({ rolledFilenameRegexp }) => rolledFilenameRegexp));
  const found = new Map<string, number>();
  for (const [index, { input }] of changes.entries()) {
    const { rolled, rolledFilenameRegexp: pattern } = input;
    if (!rolled || pattern === undefined || present.has(pattern) || found.has(pattern)) continue;
    found.set(pattern, index);
  }
  return found;
}

/**
 * Returns the first problem: an expression that is too large, or one too many; undefined when all may be
 * compiled.
 */
export function regexpProblem(fresh: ReadonlyMap<string, number>): FieldProblem | undefined {
  const [, tooMany] = [...fresh][LIMITS.regexpsPerRequest] ?? [];
  if (tooMany !== undefined)
    return at(tooMany, `brings more than ${LIMITS.regexpsPerRequest} different expressions in one request`);
  for (const [pattern, index] of fresh) {
    if (regexpProgramSteps(pattern) <= LIMITS.regexpProgramSteps) continue;
    const most = `at most ${LIMITS.regexpProgramSteps} steps`;
    return at(index, `is too large once its repetitions are written out: ${most} are taken`);
  }
  return undefined;
}

export const notRe2 = (index: number): FieldProblem =>
  at(index, 'must be a regular expression in RE2 syntax');
