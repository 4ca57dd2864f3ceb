import type { LinkType } from '@sentinel-node/contracts';
import type { Link } from '../answers.ts';
import type { FileKey } from '../api/calls/files.ts';
import { alertName, bytes, statusWord, wordFor, entryOf } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { AnchorFacts } from './AnchorFacts.tsx';
import { EntryNumber } from './EntryNumber.tsx';
import { Stamp } from '../components/Moment.tsx';

interface Look {
  icon: IconName;
  tone: Tone;
  words: string;
}

const looks: Record<Exclude<LinkType, 'OVERRIDEN'>, Look> = {
  BASELINE: { icon: 'flag', tone: 'accent', words: 'Baseline' },
  LINK: { icon: 'link', tone: 'neutral', words: 'Link' },
  BREAK: { icon: 'broken', tone: 'danger', words: 'Break' },
  END: { icon: 'link', tone: 'success', words: 'Newest' },
};

const unknown = { icon: 'info', tone: 'neutral' } as const;

const overridden: Look = { icon: 'broken', tone: 'neutral', words: 'Overridden' };

const handled = {
  RESOLVED: { icon: 'checkCircle', tone: 'success' },
  DEACTIVATED: { icon: 'reset', tone: 'warning' },
} as const;

function lookOf(link: Link): Look {
  if (link.type !== 'OVERRIDEN')
    return entryOf(looks, link.type) ?? { ...unknown, words: wordFor({}, link.type) };
  const status = link.alerts[0]?.status;
  // Without the alert nobody knows how it was handled.
  if (status === undefined || status === 'ACTIVE') return overridden;
  return {
    ...(entryOf(handled, status) ?? unknown),
    words: `Overridden, ${wordFor(statusWord, status).toLowerCase()}`,
  };
}

interface ChainLinkProps {
  file: FileKey;
  link: Link;
  current: boolean;
}

export function ChainLink({ file, link, current }: ChainLinkProps) {
  const look = lookOf(link);
  const alerts = link.alerts.map((alert) => wordFor(alertName, alert.type)).join(', ');
  return (
    <li className={`chain-link tone-${look.tone}`} data-type={link.type} aria-current={current || undefined}>
      <span className="chain-node">
        <Icon name={look.icon} size={15} label={look.words} />
      </span>
      <div className="chain-card">
        <div className="chain-head">
          <EntryNumber file={file} entry={link} />
          <Badge tone={look.tone}>{look.words}</Badge>
          {link.firstHash && <Badge tone="accent">First hash</Badge>}
          {link.whileDisabled && <Badge tone="warning">While monitoring was off</Badge>}
          <Stamp at={link.timestamp} />
        </div>
        {alerts !== '' && <p className="chain-alert">{alerts}</p>}
        <div className="chain-facts">
          {link.hash === null ? (
            <span className="muted">No content</span>
          ) : (
            <Hash value={link.hash} label={`hash of link ${link.number}`} />
          )}
          {link.length !== null && <span className="num muted">{bytes(link.length)}</span>}
        </div>
        <p className="print-only mono break">Link hash {link.linkHash}</p>
        <AnchorFacts file={file} entry={link} />
      </div>
    </li>
  );
}
