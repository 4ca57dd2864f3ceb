import { isBlank, LIMITS, visible } from '@sentinel-node/contracts';
import type { Alert, AlertHistory as History, AlertHistoryItem } from '../answers.ts';
import { useAtom, useAtomValue } from 'jotai';
import { useLayoutEffect, useState } from 'react';
import { failureNotice, messageOf } from '../errors.ts';
import { shownDateTime, entryOf, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { commentsAtom, noComment, withComment } from './comments.ts';
import { userAtom } from '../state/session.ts';
import { useFailure } from '../state/use-failure.ts';
import { useKeep, useKept } from '../state/use-kept.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { TextArea } from '../ui/Field.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';

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

const icons: Readonly<Record<string, IconName>> = {
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
    default:
      return `${wordFor({}, kind)}, by ${who}`;
  }
}

function Item({ item }: { item: AlertHistoryItem }) {
  return (
    <li>
      <span className="item-icon">
        <Icon name={entryOf(icons, item.kind) ?? 'info'} size={15} />
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
            {visible(item.text)}
          </p>
        )}
      </div>
    </li>
  );
}

const failures = {
  refused: 'The comment was not added.',
  unknown: 'It is not known whether the comment was added.',
};

/** Name under which a comment is kept when the session ends. */
const COMMENT = 'comment';

interface CommentFormProps {
  /** Person and alert. */
  of: string;
  send: (text: string) => Promise<void>;
}

/** Form for a comment; keeps the text until it was sent, also while the panel is closed. */
function CommentForm({ of, send }: CommentFormProps) {
  const [comments, setComments] = useAtom(commentsAtom);
  const kept = useKept(COMMENT, (found) => (typeof found === 'string' ? found : null));
  useLayoutEffect(() => {
    if (kept !== null) setComments(withComment(of, () => ({ ...noComment, text: kept })));
  }, [kept, of, setComments]);
  const { text, isSending } = comments.get(of) ?? noComment;
  useKeep(COMMENT, text, text !== '');
  const { failure, fail, clear } = useFailure();
  const [isMissing, setMissing] = useState(false);
  const submit = async (): Promise<void> => {
    const isEmpty = isBlank(text);
    setMissing(isEmpty);
    if (isEmpty || isSending) return;
    clear();
    setComments(withComment(of, () => ({ text, isSending: true })));
    try {
      await send(text);
      // Text that was typed meanwhile is another comment.
      setComments(withComment(of, (now) => (now.text === text ? noComment : { ...now, isSending: false })));
    } catch (error) {
      setComments(withComment(of, (now) => ({ ...now, isSending: false })));
      fail(failureNotice(error, failures));
    }
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
      <FailureNotice failure={failure} />
      <TextArea
        label="Comment"
        rows={2}
        dir="auto"
        maxLength={LIMITS.commentCharacters}
        value={text}
        error={isMissing ? 'Comment required' : undefined}
        hint="The organization sees it. It is no part of the chain."
        onChange={(event) => {
          const typed = event.target.value;
          setComments(withComment(of, (now) => ({ ...now, text: typed })));
          setMissing(false);
        }}
      />
      <div>
        <Button small type="submit" busy={isSending}>
          Add comment
        </Button>
      </div>
    </form>
  );
}
