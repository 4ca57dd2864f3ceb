/** The third step of a check: the transaction names the batch and the log. */
import { equalBytes, fromHex, toHex } from '../bytes/bytes.ts';
import type { BatchPlace } from './check-batch.ts';
import type { ProofFindings } from './findings.ts';
import { anchorOf, isSigned, parseTransaction, sealOf, shownHash } from '../ledger/transaction.ts';
import type { ProofTransaction, ProofTrust } from './proof.ts';

/**
 * @param place values that the transaction must contain; undefined when an earlier step failed
 * @returns the hash of the transaction, in the byte order of hashing; undefined when it cannot be read
 */
export function checkTransaction(
  { raw, txid, network }: ProofTransaction,
  place: BatchPlace | undefined,
  trust: ProofTrust,
  findings: ProofFindings,
): Uint8Array | undefined {
  if (network !== trust.network) findings.fail('NETWORK_DIFFERS');
  const transaction = parseTransaction(fromHex(raw));
  if (transaction === undefined) return void findings.fail('TRANSACTION_UNREADABLE');
  if (shownHash(transaction.hash) !== txid) findings.fail('TXID_DIFFERS');
  const anchor = anchorOf(transaction);
  if (anchor === undefined) findings.fail('NOT_AN_ANCHOR');
  else if (
    place === undefined ||
    toHex(anchor.logId) !== place.logId ||
    anchor.batch !== place.batch ||
    !equalBytes(anchor.headerHash, place.headerHash) ||
    !equalBytes(anchor.logRoot, place.logRoot)
  )
    findings.fail('ANCHOR_DIFFERS');
  else findings.hold('ANCHOR');
  if (!isSigned(transaction)) findings.fail('TRANSACTION_UNSIGNED');
  if (sealOf(transaction) === undefined) findings.fail('TRANSACTION_UNFUNDED');
  checkGenesis(place, txid === trust.genesisTxid, findings);
  return transaction.hash;
}

function checkGenesis(place: BatchPlace | undefined, isGenesis: boolean, findings: ProofFindings): void {
  if (place !== undefined && (place.batch === 0) !== isGenesis) findings.fail('GENESIS_DIFFERS');
  else if (isGenesis) findings.hold('GENESIS');
}
