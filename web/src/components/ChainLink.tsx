import { ANCHOR_STATES, type Link, type LinkType } from '@sentinel-node/contracts';
import type { FileKey } from '../api/calls/files.ts';
import { alertName, anchorWord, bytes, shownDateTime, statusWord } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { ProofButton } from './ProofButton.tsx';
import { TransactionLink } from './TransactionLink.tsx';

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

function lookOf(link: Link): Look {
  if (link.type !== 'OVERRIDEN') return looks[link.type];
  const status = link.alerts[0]?.status ?? 'RESOLVED';
  const words = `Overridden, ${statusWord[status].toLowerCase()}`;
  return status === 'DEACTIVATED'
    ? { icon: 'reset', tone: 'warning', words }
    : { icon: 'checkCircle', tone: 'success', words };
}

interface ChainLinkProps {
  file: FileKey;
  link: Link;
  current: boolean;
}

export function ChainLink({ file, link, current }: ChainLinkProps) {
  const look = lookOf(link);
  const alerts = link.alerts.map((alert) => alertName[alert.type]).join(', ');
  return (
    <li className={`chain-link tone-${look.tone}`} data-type={link.type} aria-current={current || undefined}>
      <span className="chain-node">
        <Icon name={look.icon} size={15} label={look.words} />
      </span>
      <div className="chain-card">
        <div className="chain-head">
          <strong className="num">#{link.number}</strong>
          <Badge tone={look.tone}>{look.words}</Badge>
          {link.firstHash && <Badge tone="accent">First hash</Badge>}
          <time dateTime={link.timestamp}>{shownDateTime(link.timestamp)}</time>
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
        <AnchorSteps link={link} />
        {link.bsvId !== null && (
          <div className="chain-transaction">
            <TransactionLink id={link.bsvId} />
            {link.anchor.state === 'CONFIRMED' && <ProofButton file={file} link={link} />}
          </div>
        )}
      </div>
    </li>
  );
}

/** received → batched → broadcast → confirmed (n): how far the anchoring has come, in words. */
function AnchorSteps({ link }: { link: Link }) {
  const reached = ANCHOR_STATES.indexOf(link.anchor.state);
  return (
    <ol className="anchor-steps" aria-label="Anchoring">
      {ANCHOR_STATES.map((state, index) => (
        <li
          key={state}
          data-reached={index <= reached || undefined}
          aria-current={index === reached ? 'step' : undefined}
        >
          <span>
            {anchorWord[state]}
            {state === 'CONFIRMED' && index <= reached && ` (${link.anchor.confirmations})`}
          </span>
        </li>
      ))}
    </ol>
  );
}
