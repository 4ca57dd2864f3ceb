/** Block whose hash is built into this software. */
export interface KnownBlock {
  readonly height: number;
  /** Hex, in the byte order of explorers. */
  readonly hash: string;
}

/**
 * Known blocks by network. Each is after the fork of November 2018.
 *
 * `main` 800,000: go-chaincfg 6bf8e988 (`params.go`) lists the block; wallet-toolbox 7fb2ecc8
 * (`validBulkHeaderFilesByFileHash.ts`) lists the block before, 799,999; the header that follows 799,999 hashes to this
 * block, which a test checks again.
 *
 * `test`: no block after the fork was found in two independent sources, so none is listed.
 */
export const HEADER_CHECKPOINTS: Readonly<Record<string, KnownBlock>> = {
  main: {
    height: 800_000,
    hash: '000000000000000000ad9056924410005d91b57f100bce345944e5caf56e8565',
  },
};

/** Returns the known block of the network, or undefined when it has none. */
export const knownBlockOf = (network: string): KnownBlock | undefined =>
  Object.hasOwn(HEADER_CHECKPOINTS, network) ? HEADER_CHECKPOINTS[network] : undefined;

/** Returns true when the known block at this height has another hash. @param hash hex, in the byte order of explorers */
export function contradictsKnownBlock(network: string, height: number, hash: string): boolean {
  const known = knownBlockOf(network);
  return known?.height === height && known.hash !== hash;
}
