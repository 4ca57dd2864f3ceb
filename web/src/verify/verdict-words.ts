/** Next step and look for each end of a check. Only exit code 0 of `sentinel verify` is green. */
import {
  CHECK_EXIT_CODES,
  type CheckEnd,
  type ProofOutcome,
  type ReceiptOutcome,
} from '@sentinel-node/contracts';
import { plural } from '../format.ts';

export type VerdictTone = 'success' | 'warning' | 'danger';

const FAILURES: readonly CheckEnd[] = ['FAILS', 'CONFLICT'];

export function toneOf(end: CheckEnd): VerdictTone {
  if (CHECK_EXIT_CODES[end] === 0) return 'success';
  return FAILURES.includes(end) ? 'danger' : 'warning';
}

export const NEXT_STEPS: Readonly<Record<CheckEnd, string>> = {
  HOLDS:
    'Keep the proof together with the files that you checked it with: with them anybody can repeat this check.',
  ONE_LOG_NOT_SHOWN:
    'Do not rely on it alone yet. Add the seals of the log, a checkpoint that you kept, or a policy of witnesses, and check again.',
  SELF_SUPPLIED:
    'Nothing shows yet that the block exists. Add block headers from a source of your own, and check again.',
  NOT_PUBLIC:
    'This is a demonstration, a test, or a network that is not known here: no proof on such a ledger can count by itself. Ask for one on the public network.',
  INCOMPLETE:
    'The entry still waits for its transaction or its block. Get the proof again later, and check again.',
  FAILS:
    'Do not rely on what this proof says. See below what fails, and that the trust file is the right one. Keep the files, and ask whoever gave you the proof.',
  CONFLICT:
    'Keep both documents and show them to others: together they are evidence against whoever signed them.',
};

/** Returns the next step after a check of one or several entries; of several it says how many wait. */
export function nextStep(
  end: CheckEnd,
  entries: readonly ProofOutcome[],
  document: 'bundle' | 'proof',
): string {
  if (end !== 'INCOMPLETE' || entries.length < 2) return NEXT_STEPS[end];
  const waiting = entries.filter((outcome) => outcome === 'INCOMPLETE').length;
  const [wait, own] = waiting === 1 ? ['waits', 'its'] : ['wait', 'their'];
  return `${waiting.toLocaleString('en-US')} of ${plural(entries.length, 'entry', 'entries')} still ${wait} for ${own} transaction or block. Get the ${document} again later, and check again.`;
}

export const RECEIPT_NEXT_STEPS: Readonly<Record<ReceiptOutcome, string>> = {
  HOLDS:
    'Keep the receipt until a proof shows the entry. Whether the proof itself holds is for a check of the proof alone.',
  FAILS:
    'Do not rely on it. See that the trust file is the right one, that the receipt is whole, and that the proof holds and is of its report.',
  'NOT SHOWN':
    'Ask the server again for the proof of this receipt. A proof without a batch is signed by nobody, and anybody can make one: it shows neither that the promise was kept nor that it was broken. If the server itself shows no batch more than 26 hours after the report was accepted, the promise is broken; keep the receipt, with which anybody can ask.',
  'BROKEN PROMISE':
    'Keep receipt and proof and show them to others: together they are evidence against the operator of the log.',
};

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
