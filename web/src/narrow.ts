/** Type guards for outside values: inputs, notes, frames and the browser's storage. */
export { isRecord } from '@sentinel-node/contracts';

/** Returns whether the value is one of the texts. */
export const isOneOf = <T extends string>(all: readonly T[], value: unknown): value is T =>
  all.some((one) => one === value);
