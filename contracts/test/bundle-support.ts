/** The recorded bundles, and the trusted inputs of their verifier. */
import type { Bundle } from '../src/proof/bundle.ts';
import type { BundleCheckOptions } from '../src/proof/check-bundle.ts';
import { CONSISTENCY_FORMAT } from '../src/proof/check-one-log.ts';
import { online } from './proof-support.ts';
import { vector } from './support.ts';

export const { bundles } = vector<{
  readonly bundles: readonly { readonly name: string; readonly bundle: Bundle }[];
}>('bundle.json');
export const bundleNamed = (name: string): Bundle => bundles.find((one) => one.name === name)!.bundle;
export const two = bundleNamed('of two batches in one block');

const log = vector<{
  readonly checkpoints: readonly { readonly note: string }[];
  readonly consistency: readonly { readonly from: number; readonly to: number; readonly path: string[] }[];
}>('log.json');
/** Options of a checker who kept the checkpoint of the last batch, and proofs that it extends every earlier log. */
export const knowing: BundleCheckOptions = {
  ...online,
  oneLog: {
    checkpoint: log.checkpoints.at(-1)!.note,
    consistencies: log.consistency
      .filter(({ to }) => to === log.checkpoints.length)
      .map((one) => ({ format: CONSISTENCY_FORMAT, ...one })),
  },
};
