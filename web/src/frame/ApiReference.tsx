import { apiBase } from '../state/api.ts';
import { Icon } from '../ui/Icon.tsx';

/** Address of the server's description of its API. */
export const apiReferenceUrl = (): string => `${apiBase()}/docs`;

export function ApiReference() {
  return (
    <a className="transaction" href={apiReferenceUrl()} target="_blank" rel="noopener noreferrer">
      API reference
      <Icon name="external" size={14} />
      <span className="visually-hidden">, opens in a new tab</span>
    </a>
  );
}
