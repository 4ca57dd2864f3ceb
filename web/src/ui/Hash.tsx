import { visible } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';
import { shortHash } from '../format.ts';
import { Icon } from './Icon.tsx';

interface HashProps {
  value: string;
  /** Name of the value for the copy button: `hash of link 12`. */
  label: string;
  full?: boolean;
}

const COPIED_MS = 1_600;

/** Shows the ends of a hash or id, the whole value on hover, and a copy button. */
export function Hash({ value, label, full = false }: HashProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (event: React.MouseEvent): void => {
    event.stopPropagation();
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <span className="hash">
      <span className={`mono${full ? ' hash-full' : ''}`} title={value} data-print={value}>
        <span>{full ? value : shortHash(value)}</span>
      </span>
      <button
        type="button"
        className="hash-copy"
        aria-label={visible(`Copy ${label}`)}
        title="Copy"
        onClick={copy}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </button>
      <span className="visually-hidden" aria-live="polite">
        {copied ? 'Copied' : ''}
      </span>
    </span>
  );
}
