import { useAtomValue } from 'jotai';
import { shortHash } from '../format.ts';
import { configAtom } from '../state/config.ts';
import { Hash } from '../ui/Hash.tsx';
import { Icon } from '../ui/Icon.tsx';

/** Shows a transaction as a link to the public explorer, or only its id when the ledger is not public. */
export function TransactionLink({ id }: { id: string }) {
  const config = useAtomValue(configAtom);
  const explorerUrl = config?.explorerUrl ?? null;
  if (explorerUrl === null) {
    return (
      <span className="transaction">
        <Hash value={id} label="transaction id" />
        <span className="muted">
          {config?.developmentParts.includes('ledger') === true && 'development ledger, '}not public
        </span>
      </span>
    );
  }
  return (
    <a
      className="transaction"
      href={explorerUrl.replace('{txid}', encodeURIComponent(id))}
      target="_blank"
      rel="noopener noreferrer"
      title={id}
    >
      <span className="mono" data-print={id}>
        <span>{shortHash(id)}</span>
      </span>
      <Icon name="external" size={14} />
      <span className="visually-hidden">Transaction in a block explorer, opens in a new tab</span>
    </a>
  );
}
