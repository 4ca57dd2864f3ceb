import { ANCHOR_STATES } from '@sentinel-node/contracts';
import type { Link } from '../answers.ts';
import { useAtomValue } from 'jotai';
import type { FileKey } from '../api/calls/files.ts';
import { anchorWord, plural, wordFor } from '../format.ts';
import { configAtom } from '../state/config.ts';
import { ProofButton } from './ProofButton.tsx';
import { TransactionLink } from './TransactionLink.tsx';

export type Anchored = Pick<Link, 'id' | 'number' | 'bsvId' | 'anchor'>;

/** Shows an entry's anchoring state, transaction and proof. */
export function AnchorFacts({ file, entry }: { file: FileKey; entry: Anchored }) {
  return (
    <>
      <AnchorSteps anchor={entry.anchor} />
      {entry.bsvId !== null && (
        <div className="chain-transaction">
          <TransactionLink id={entry.bsvId} />
          {entry.anchor.state === 'CONFIRMED' && <ProofButton file={file} link={entry} />}
        </div>
      )}
    </>
  );
}

/**
 * Shows the steps received → batched → broadcast → confirmed in words, the last with its confirmations. Green only in a block of a
 * ledger that counts: until then nobody but the operator has the entry.
 */
function AnchorSteps({ anchor }: Pick<Link, 'anchor'>) {
  const { state: present } = anchor;
  const reached = ANCHOR_STATES.findIndex((state) => state === present);
  const isDevelopment = useAtomValue(configAtom)?.developmentParts.includes('ledger') !== false;
  const isShown = anchor.state === 'CONFIRMED' && anchor.confirmations > 0 && !isDevelopment;
  return (
    <ol className="anchor-steps" aria-label="Anchoring" data-shown={isShown || undefined}>
      {ANCHOR_STATES.map((state, index) => (
        <li
          key={state}
          data-reached={index <= reached || undefined}
          aria-current={index === reached ? 'step' : undefined}
        >
          <span>
            {anchorWord[state]}
            {state === 'CONFIRMED' && index <= reached && `, ${plural(anchor.confirmations, 'confirmation')}`}
          </span>
        </li>
      ))}
      {reached === -1 && (
        <li aria-current="step">
          <span>not known to this page: {wordFor({}, present)}</span>
        </li>
      )}
    </ol>
  );
}
