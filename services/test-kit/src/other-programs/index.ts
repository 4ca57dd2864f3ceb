/**
 * Programs that check this software's output with other people's libraries: `bsv-sdk` for Python
 * (transactions, Merkle paths and scripts), and `go` with golang.org/x/mod/sumdb (notes and tiles). Without a
 * program its tests are skipped with the reason, or fail if `SENTINEL_TEST_REQUIRE` (comma list) names the
 * program.
 */
import { messageOf } from '@sentinel-node/contracts/thrown';
import type { Test } from 'tap';
import { programFile } from '../program-file.ts';
import { withLock } from '../test-servers/cache.ts';
import { preparePython } from '../test-servers/python-environment.ts';
import { isRequired } from '../test-servers/required.ts';
import { buildGoProgram } from './go-program.ts';

export { skipWithoutPython } from './python.ts';

export type OtherProgram = 'bsv-sdk' | 'go';
/** A program and its first arguments. */
export type Command = readonly [program: string, ...args: string[]];

const BSV_SDK = 'bsv-sdk==2.4.0';

const PREPARE: Readonly<Record<OtherProgram, () => Promise<Command>>> = {
  'bsv-sdk': async () => [await preparePython(BSV_SDK), '-B', programFile('bsv_reader.py')],
  go: async () => [await buildGoProgram(programFile('tlog_reader.go'))],
};

/**
 * Installs or builds a program in advance, so that no test waits for it. Resolves with the command, or with
 * the reason when the program is missing.
 */
export async function prepareOtherProgram(
  kind: OtherProgram,
): Promise<{ command: Command } | { missing: string }> {
  try {
    return { command: await withLock(`prepare-${kind}`, PREPARE[kind]) };
  } catch (error) {
    return { missing: `no ${kind}: ${messageOf(error).trim().split('\n').at(-1)}` };
  }
}

/**
 * Returns the command; undefined after a skipped subtest with the reason.
 * @throws Error the program is missing and required
 */
export async function otherProgram(t: Test, kind: OtherProgram): Promise<Command | undefined> {
  const prepared = await prepareOtherProgram(kind);
  if ('command' in prepared) return prepared.command;
  if (isRequired(kind)) throw new Error(prepared.missing);
  await t.test(kind, { skip: prepared.missing }, () => undefined);
  return undefined;
}
