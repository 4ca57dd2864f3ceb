/** Findings of a check of a proof, each with a stable code. */
export const PROOF_FAILURES = {
  TOO_LARGE: 'The document is larger than a proof (512 KiB) or a bundle (8 MiB) can be.',
  NOT_JSON: 'The document is not JSON in UTF-8.',
  AMBIGUOUS_JSON: 'The document repeats a member, or spells a value in a way that programs read differently.',
  UNKNOWN_FORM: 'The document has not the form of a proof that this verifier knows.',
  TRUST_UNUSABLE: 'What is trusted (origin, public key, network, first transaction) is not usable.',
  STATE_DIFFERS: 'The proof holds more or less than its state says.',
  LOG_DIFFERS: 'The proof is of another log than the trusted one.',
  ENTRY_IMPOSSIBLE: 'The fields of the entry do not fit together.',
  DEVICE_DIFFERS: 'The first entry of the file names another device.',
  LINK_HASH_DIFFERS: 'The link hash does not follow from the fields of the entry.',
  LEAF_HASH_DIFFERS: 'The leaf is not that of the entry.',
  HEADER_UNREADABLE: 'The batch header is none.',
  HEADER_OF_OTHER_LOG: 'The batch header names another log.',
  LEAF_NOT_IN_BATCH: 'The path does not lead from the leaf to the root of the batch.',
  HEADER_NOT_IN_LOG: 'The path cannot be one from the batch header to a root of the log.',
  CHECKPOINT_NOT_SIGNED: 'The checkpoint is not signed by the key of the log.',
  CHECKPOINT_DIFFERS: 'The checkpoint is not of the log that ends with this batch.',
  NETWORK_DIFFERS: 'The transaction is of another network than the trusted one.',
  TRANSACTION_UNREADABLE: 'The transaction is not exactly one transaction, or has the length of a tree node.',
  TXID_DIFFERS: 'The transaction has another id.',
  NOT_AN_ANCHOR: 'The transaction has not exactly one anchor, in its output 0, of 0 satoshis.',
  ANCHOR_DIFFERS: 'The transaction names another log, batch, header or log root.',
  TRANSACTION_UNSIGNED:
    'An input of the transaction spends nothing real, or nothing stands where its signature belongs.',
  TRANSACTION_UNFUNDED: 'The transaction pays nothing into output 1, which the next anchor has to spend.',
  GENESIS_DIFFERS: 'Batch 0, and only it, is in the transaction that the log began with.',
  BUMP_UNREADABLE: 'The Merkle path is not one of BRC-74, or longer than a block needs.',
  BUMP_HEIGHT_DIFFERS: 'The Merkle path names another height.',
  NOT_IN_BLOCK: 'The Merkle path does not lead from the transaction to the root of the block.',
  COINBASE_DIFFERS: 'The coinbase shown is none, or not the first transaction at the same depth.',
  BLOCK_HEADER_DIFFERS: 'The block header of the proof is another one, or of another block.',
  BLOCK_UNKNOWN: 'The given headers do not reach the block.',
  SEALS_DIFFER:
    'The chain of seals has another batch of this number, so that there are two logs, or the batch in another transaction, which anybody can make.',
  KEPT_CHECKPOINT_NOT_SIGNED: 'The kept checkpoint is not one that the key of the log signed.',
  KEPT_CHECKPOINT_DIFFERS:
    'The kept checkpoint is of as many batches and has another root: there are two logs, both signed.',
  COSIGNATURE_INVALID:
    'What stands under the name and key of a witness is not its signature of the checkpoint.',
  NOT_CONSISTENT: 'The consistency proof does not lead from the shorter log to the longer one.',
  ENTRY_MISSING: 'An entry of the range is missing, doubled or out of order.',
  BATCHES_DIFFER:
    'The batches do not cover the entries one after the other, do not follow one another, or are not of one log.',
  BLOCKS_DIFFER: 'A block that a batch names is not in the bundle, or one is there twice or for nothing.',
  ACCEPTED_AFTER_BLOCK: 'The entry claims a time more than two hours after the block that holds it.',
} as const;
export type ProofFailure = keyof typeof PROOF_FAILURES;

export const PROOF_HOLDS = {
  LOG: 'The proof is of the trusted log.',
  LINK: 'The link hash follows from the fields of the entry, its number, its subject and the entry before.',
  LEAF: 'The entry is a leaf of the batch.',
  BATCH: 'The batch is the last of the log whose root the operator signed.',
  CHECKPOINT: 'The operator of the log signed the checkpoint.',
  ANCHOR: 'The transaction names the batch header and the log root.',
  GENESIS: 'The transaction is the one that the log began with.',
  SEALS: 'One log: the chain of seals leads from the first transaction to this one, each signed.',
  KEPT_CHECKPOINT: 'One log: the checkpoint that the checker kept is of a log that has this batch.',
  KEPT_CHECKPOINT_CONTINUED:
    'The log that ends with this batch continues the checkpoint that the checker kept.',
  WITNESSED:
    'One log: as many witnesses as the trusted policy asks for cosigned a checkpoint of the log that holds this batch.',
  BLOCK: 'The transaction is in the block, by headers that were given apart from the proof.',
  COINBASE: 'The path has the depth of the block: its coinbase is shown at the same depth.',
  RANGE: 'Every entry between the two numbers is there, and each follows the one before.',
  TIME: 'The entry existed by the time of the block (give or take two hours).',
} as const;
export type ProofHolding = keyof typeof PROOF_HOLDS;

export const PROOF_CLAIMS = {
  ACCEPTED_AT:
    'When the entry was accepted is a claim of the operator; the block only says: no later than its time.',
  REPORTED_AT: 'When the agent reported is a claim.',
  ORIGIN: 'Origin as claimed by the operator: no signature of the agent is shown.',
  OWNER: 'To which device and organization the file belongs is a claim.',
  CONFIRMATIONS: 'The number of confirmations in the proof is as the server saw it.',
  SELF_SUPPLIED: 'The block header is self-supplied: it proves nothing.',
  SINGLE_LOG:
    'That no other transaction names another batch of this number is for the chain of transactions to show.',
} as const;
export type ProofClaim = keyof typeof PROOF_CLAIMS;

export const PROOF_WARNINGS = {
  INCOMPLETE: 'The proof is not complete yet: no block is shown.',
  COMPLETENESS_NOT_SHOWN: 'That nothing was left out, and that this is the newest entry, is not shown.',
  NEWEST_NOT_SHOWN: 'That no entry follows the last one is not shown.',
  OLDER_NOT_SHOWN: 'The bundle leaves out what is before its first entry: nothing is shown of it.',
  ONE_LOG_NOT_SHOWN:
    'ONE LOG NOT SHOWN: another log of the same key may say otherwise; give seals, a checkpoint that you kept, or a policy of witnesses.',
  QUORUM_MISSING: 'Fewer witnesses cosigned than the trusted policy asks for.',
  COSIGNATURE_TIME:
    'A witness says that it cosigned before the batch was closed, or more than ten minutes after now: its cosignature does not count.',
  SEALS_TOO_SHORT: 'The chain of seals ends before this batch.',
  CONSISTENCY_NOT_SHOWN:
    'The kept checkpoint is of another number of batches, and no proof leads from one to the other.',
  KEPT_CHECKPOINT_OLDER:
    'The kept checkpoint ends before this batch: a second log that begins after it is not excluded. Keep a newer one.',
  NOT_PUBLIC: 'NOT PUBLIC: whoever runs this development ledger can forge this.',
  NETWORK_UNKNOWN:
    'NOT PUBLIC as far as is known: no rules of this network are known, so that its blocks may be easy to make.',
  COINBASE_ABSENT:
    'The coinbase is absent: that the path has the depth of the block is not shown (CVE-2017-12842).',
  SHALLOW: 'The block has fewer than 6 confirmations.',
  TRANSACTIONS_DIFFER:
    'The bundle gives transactions in blocks that spend the same output, or of which the later does not spend the seal of the one before. Anybody can put a copy of an anchor on a ledger: the chain of seals says which one is of the log.',
  ANCHORED_LATE: 'Anchored late: the block came more than two hours after the interval of the category.',
} as const;
export type ProofWarning = keyof typeof PROOF_WARNINGS;

export interface Finding<Code extends string> {
  readonly code: Code;
  readonly text: string;
}

/** Collects findings; each code once. */
export class ProofFindings {
  readonly holds: Finding<ProofHolding>[] = [];
  readonly fails: Finding<ProofFailure>[] = [];
  readonly claimed: Finding<ProofClaim>[] = [];
  readonly warnings: Finding<ProofWarning>[] = [];

  hold(code: ProofHolding): void {
    add(this.holds, code, PROOF_HOLDS[code]);
  }

  /** @param member pointer to the faulty member @returns false, so that a check can return the call */
  fail(code: ProofFailure, member = ''): false {
    add(this.fails, code, member === '' ? PROOF_FAILURES[code] : `${PROOF_FAILURES[code]} At ${member}.`);
    return false;
  }

  claim(code: ProofClaim): void {
    add(this.claimed, code, PROOF_CLAIMS[code]);
  }

  warn(code: ProofWarning): void {
    add(this.warnings, code, PROOF_WARNINGS[code]);
  }
}

function add<Code extends string>(found: Finding<Code>[], code: Code, text: string): void {
  if (!found.some((finding) => finding.code === code)) found.push({ code, text });
}
