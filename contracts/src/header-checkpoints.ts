/** Blocks whose hashes are part of this software. */
export interface KnownBlock {
  readonly height: number;
  /** As explorers show it, hex. */
  readonly hash: string;
}

/**
 * By network; a network that is not listed has none. Each is after the fork of November 2018.
 *
 * `main` 800,000: go-chaincfg 6bf8e988 (`params.go`) lists the block; wallet-toolbox 7fb2ecc8
 * (`validBulkHeaderFilesByFileHash.ts`) lists the block before, 799,999, and the header that names that one hashes to this
 * one, which a test does again.
 *
 * `test`: no block after the fork was found in two independent sources, so none is listed.
 */
export const HEADER_CHECKPOINTS: Readonly<Record<string, KnownBlock>> = {
  main: {
    height: 800_000,
    hash: '000000000000000000ad9056924410005d91b57f100bce345944e5caf56e8565',
  },
};

/** The known block of the network; undefined: none. */
export const knownBlockOf = (network: string): KnownBlock | undefined =>
  Object.hasOwn(HEADER_CHECKPOINTS, network) ? HEADER_CHECKPOINTS[network] : undefined;

/** Whether another block is known at this height. @param hash as explorers show it, hex */
export function contradictsKnownBlock(network: string, height: number, hash: string): boolean {
  const known = knownBlockOf(network);
  return known?.height === height && known.hash !== hash;
}
