import { isTransient, LedgerUnavailableError, PortError } from '@sentinel-node/platform';

/** A problem that only a person can correct: anchoring stops with this message. */
export class AnchoringStoppedError extends PortError {}

export function badRecord(partition: number, offset: number, why: string): AnchoringStoppedError {
  return new AnchoringStoppedError(
    'CHAIN_RECORD_INVALID',
    `the chain record ${partition}/${offset} cannot be anchored: ${why}. Nothing more is cut; run sentinel audit, which names what differs, in the store or in the log`,
  );
}

export function ledgerChanged(recorded: string, configured: string): AnchoringStoppedError {
  return new AnchoringStoppedError(
    'LEDGER_CHANGED',
    `this store was anchored on the ledger ${recorded}, configured is ${configured}: its seal does not exist there; set SENTINEL_LEDGER and SENTINEL_NETWORK as they were, or begin with an empty log and store`,
  );
}

/** Returns whether a retry may succeed. */
export function isRetryable(error: unknown): error is PortError {
  return error instanceof LedgerUnavailableError || isTransient(error);
}
