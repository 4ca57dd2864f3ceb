import { visible } from '@sentinel-node/contracts';
import { alertName, entryWord, statusWord, wordFor, entryOf } from '../format.ts';
import type { ChainEntry } from '../answers.ts';
import type { FileKey } from '../api/calls/files.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { AnchorFacts } from './AnchorFacts.tsx';
import { EntryNumber } from './EntryNumber.tsx';
import { Stamp } from '../components/Moment.tsx';

type Look = [icon: IconName, tone: Tone];

const looks: Partial<Record<ChainEntry['kind'], Look>> = {
  GENESIS: ['flag', 'neutral'],
  DISMISSED: ['checkCircle', 'success'],
  RESET: ['reset', 'warning'],
  POLICY: ['edit', 'neutral'],
  ENABLED: ['pulse', 'neutral'],
  DISABLED: ['pulse', 'neutral'],
  DELETED: ['trash', 'neutral'],
};

interface ChainEntryItemProps {
  file: FileKey;
  entry: ChainEntry;
  current: boolean;
}

/** Shows an entry that is no version of the file: an action of a person or a policy. */
export function ChainEntryItem({ file, entry, current }: ChainEntryItemProps) {
  const [icon, tone] = entryOf(looks, entry.kind) ?? ['info', 'neutral'];
  const words = wordFor(entryWord, entry.kind);
  const { alert } = entry;
  return (
    <li
      className={`chain-link chain-entry tone-${tone}`}
      data-kind={entry.kind}
      aria-current={current || undefined}
    >
      <span className="chain-node">
        <Icon name={icon} size={15} label={words} />
      </span>
      <div className="chain-card">
        <div className="chain-head">
          <EntryNumber file={file} entry={entry} />
          <Badge tone={tone}>{words}</Badge>
          <Stamp at={entry.timestamp} />
        </div>
        {alert !== null && (
          <div className="chain-handling">
            <p>
              <strong>{wordFor(alertName, alert.type)}</strong>{' '}
              {wordFor(statusWord, alert.status).toLowerCase()} by{' '}
              {alert.overrideUserEmail ?? 'an unknown person'}
            </p>
            {alert.note !== null && <p className="preserve muted">{visible(alert.note)}</p>}
          </div>
        )}
        <AnchorFacts file={file} entry={entry} />
      </div>
    </li>
  );
}
