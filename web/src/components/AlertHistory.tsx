import {
  type Alert,
  type AlertHistory as History,
  type AlertHistoryItem,
  LIMITS,
} from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { messageOf } from '../errors.ts';
import { shownDateTime } from '../format.ts';
import { api } from '../state/api.ts';
import { userAtom } from '../state/session.ts';
import { useKeptText } from '../state/use-kept.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { TextArea } from '../ui/Field.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Notice } from '../ui/Notice.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

interface AlertHistoryProps {
  orgId: string;
  alert: Pick<Alert, 'id' | 'deviceId'>;
}

/** Shows an alert's history and comments, newest first. */
export function AlertHistory({ orgId, alert }: AlertHistoryProps) {
  const key = { orgId, deviceId: alert.deviceId, id: alert.id };
  const resource = useResource<History>({
    key: `history ${alert.id}`,
    load: (signal) => api().getAlertHistory(key, signal),
    apply: (history, item) => (item.kind === 'alert' && item.data['id'] === alert.id ? RELOAD : history),
  });
  const { data, error, loading, reload, update } = resource;
  const user = useAtomValue(userAtom);
  return (
    <section aria-labelledby="alert-history" className="stack">
      <h3 id="alert-history">History</h3>
      <CommentForm
        of={`${user?.userId ?? ''} ${alert.id}`}
        send={async (text) => {
          const fresh = await api().commentAlert(key, text);
          if (data === undefined) reload();
          else update(() => fresh);
        }}
      />
      {loading && <Skeleton lines={3} label="Loading the history" />}
      {error !== null && (
        <ErrorState title="The history could not be read" message={messageOf(error)} onRetry={reload} />
      )}
      {data !== undefined && (
        <ol className="alert-history" aria-label="History of the alert, newest first">
          {data.history.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ol>
      )}
    </section>
  );
}

const icons: Record<AlertHistoryItem['kind'], IconName> = {
  RAISED: 'alert',
  ASSIGNED: 'users',
  COMMENTED: 'edit',
  SHARED: 'share',
  DISMISSED: 'checkCircle',
  RESET: 'reset',
};

function wordsOf({ kind, by, to }: AlertHistoryItem): string {
  const who = by ?? 'Somebody';
  switch (kind) {
    case 'RAISED':
      return 'The alert was raised';
    case 'ASSIGNED':
      if (to[0] === undefined) return `${who} assigned it to nobody`;
      return to[0] === by ? `${who} took it` : `${who} assigned it to ${to[0]}`;
    case 'COMMENTED':
      return `${who} commented`;
    case 'SHARED':
      return to.length === 0 ? `${who} ended the sharing` : `${who} shared it with ${to.join(', ')}`;
    case 'DISMISSED':
      return `${who} dismissed it`;
    case 'RESET':
      return `${who} reset it`;
  }
}

function Item({ item }: { item: AlertHistoryItem }) {
  return (
    <li>
      <span className="item-icon">
        <Icon name={icons[item.kind]} size={15} />
      </span>
      <div className="grow">
        <p>
          <span className="break">{wordsOf(item)}</span>{' '}
          <time dateTime={item.timestamp} className="muted">
            {shownDateTime(item.timestamp)}
          </time>
        </p>
        {item.text !== null && (
          <p className="preserve alert-comment" dir="auto">
            {item.text}
          </p>
        )}
      </div>
    </li>
  );
}

/** Comments that are not sent, by person and alert, for when the panel opens again. @boundedBy UNSENT_MAX */
const unsent = new Map<string, string>();
/** Most comments that are not sent; the oldest goes first. */
const UNSENT_MAX = 50;

function keepUnsent(of: string, text: string): void {
  unsent.delete(of);
  if (text !== '') unsent.set(of, text);
  const oldest = unsent.keys().next();
  if (unsent.size > UNSENT_MAX && oldest.done !== true) unsent.delete(oldest.value);
}

interface CommentFormProps {
  /** Person and alert. */
  of: string;
  send: (text: string) => Promise<void>;
}

/** Form for a comment; keeps the text until it was sent, also while the panel is closed. */
function CommentForm({ of, send }: CommentFormProps) {
  const [text, setText] = useKeptText('comment', unsent.get(of));
  useEffect(() => keepUnsent(of, text), [of, text]);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const submit = async (): Promise<void> => {
    setMissing(text.trim() === '');
    if (text.trim() === '') return;
    setBusy(true);
    setFailure(null);
    try {
      await send(text);
      setText('');
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <form
      className="stack stack-tight"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {failure !== null && <Notice tone="danger" title={failure} />}
      <TextArea
        label="Comment"
        rows={2}
        dir="auto"
        maxLength={LIMITS.commentCharacters}
        value={text}
        error={isMissing ? 'Comment required' : undefined}
        hint="The organization sees it. It is no part of the chain."
        onChange={(event) => {
          setText(event.target.value);
          setMissing(false);
        }}
      />
      <div>
        <Button small type="submit" busy={busy}>
          Add comment
        </Button>
      </div>
    </form>
  );
}
