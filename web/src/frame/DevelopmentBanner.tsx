import { useAtomValue } from 'jotai';
import { configAtom } from '../state/config.ts';

const words: Record<string, string> = { wallet: 'wallet', mail: 'mail', ledger: 'ledger' };

/** Names the development parts, which must never hold real evidence. */
export function DevelopmentBanner() {
  const parts = useAtomValue(configAtom)?.developmentParts ?? [];
  if (parts.length === 0) return null;
  const names = new Intl.ListFormat('en').format(parts.map((part) => words[part] ?? part));
  return (
    <aside className="development-banner" aria-label="Development">
      <strong>Development</strong> {names} in use. Not for real evidence.
    </aside>
  );
}
