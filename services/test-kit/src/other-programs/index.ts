/**
 * Programs that check what we give out with libraries of others: `bsv-sdk`, Python's (transactions, Merkle paths and
 * scripts), and `go`, golang.org/x/mod/sumdb (notes and tiles). Where a part is missing its tests are left out with the
 * reason, or fail if `SENTINEL_TEST_REQUIRE` (comma list) names it.
 */
import { fileURLToPath } from 'node:url';
import { messageOf } from '@sentinel-node/contracts/thrown';
import type { Test } from 'tap';
import { withLock } from '../test-servers/cache.ts';
import { preparePython } from '../test-servers/python-environment.ts';
import { isRequired } from '../test-servers/required.ts';
import { buildGoProgram } from './go-program.ts';

export type OtherProgram = 'bsv-sdk' | 'go';
/** A program and its first arguments. */
export type Command = readonly [program: string, ...args: string[]];

const BSV_SDK = 'bsv-sdk==2.4.0';
const sourceOf = (name: string): string =>
  fileURLToPath(new URL(`../../../programs/${name}`, import.meta.url));

const PREPARE: Readonly<Record<OtherProgram, () => Promise<Command>>> = {
  'bsv-sdk': async () => [await preparePython(BSV_SDK), '-B', sourceOf('bsv_reader.py')],
  go: async () => [await buildGoProgram(sourceOf('tlog_reader.go'))],
};

/** Installs or builds what is needed, so that no test waits for it. Resolves with the command, or why there is none. */
export async function prepareOtherProgram(
  kind: OtherProgram,
): Promise<{ command: Command } | { missing: string }> {
  try {
    return { command: await withLock(`prepare-${kind}`, PREPARE[kind]) };
  } catch (error) {
    return { missing: `no ${kind}: ${messageOf(error).trim().split('\n').at(-1)}` };
  }
}

/** undefined means that a skipped subtest tells why. @throws Error when the part is missing and required */
export async function otherProgram(t: Test, kind: OtherProgram): Promise<Command | undefined> {
  const prepared = await prepareOtherProgram(kind);
  if ('command' in prepared) return prepared.command;
  if (isRequired(kind)) throw new Error(prepared.missing);
  await t.test(kind, { skip: prepared.missing }, () => undefined);
  return undefined;
}
