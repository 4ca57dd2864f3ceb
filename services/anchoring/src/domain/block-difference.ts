import {
  bumpRoot,
  equalBytes,
  fromHex,
  parseBlockHeader,
  parseBump,
  shownHash,
  type AnchorTransaction,
} from '@sentinel-node/contracts';

const OTHER_BLOCK = 'its Merkle path does not lead to its block';

/**
 * Returns in words why a mined transaction's Merkle path does not lead to the block at its height; undefined when it
 * does.
 * @param known header at that height, 80 bytes in hex; undefined without one
 */
export function blockDifference(
  { blockHash, blockHeight, merklePath, txid }: AnchorTransaction,
  known: string | undefined,
): string | undefined {
  const header = known === undefined ? undefined : parseBlockHeader(fromHex(known));
  if (header === undefined || shownHash(header.hash) !== blockHash) return 'the ledger has no such block';
  const bump = merklePath === null ? undefined : parseBump(fromHex(merklePath));
  const found = bump === undefined ? undefined : bumpRoot(bump, fromHex(txid).reverse());
  return bump?.height === blockHeight && found !== undefined && equalBytes(found.root, header.root)
    ? undefined
    : OTHER_BLOCK;
}

/** Returns in words that the Merkle path is of another height than the recorded block, which needs no header to see. */
export function heightDifference({
  blockHeight,
  merklePath,
}: Pick<AnchorTransaction, 'blockHeight' | 'merklePath'>): string | undefined {
  if (merklePath === null) return undefined;
  return parseBump(fromHex(merklePath))?.height === blockHeight ? undefined : OTHER_BLOCK;
}
