import { wordFor } from '../format.ts';
import type { Webhook } from '../answers.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Badge } from '../ui/Badge.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { Stamp } from '../components/Moment.tsx';
import { TokenStateBadge } from '../components/TokensTable.tsx';
import { answerWord, shapeWord, webhookLook } from './webhook-words.ts';

const columns: Column<Webhook>[] = [
  { header: 'Webhook', cell: ({ name }) => <strong>{name}</strong>, className: 'cell-text' },
  { header: 'State', cell: (webhook) => <TokenStateBadge {...webhookLook(webhook)} /> },
  {
    header: 'Receiver',
    cell: ({ url, shape }) => (
      <div>
        <span className="mono">{url}</span>
        <br />
        <span className="muted">{wordFor(shapeWord, shape)}</span>
      </div>
    ),
    className: 'cell-text',
  },
  {
    header: 'Waiting',
    cell: ({ waiting, leftOut }) => (
      <div>
        {waiting.toLocaleString('en-US')}
        {leftOut !== null && (
          <>
            <br />
            <Badge tone="danger" icon="alert">{`${leftOut.notices.toLocaleString('en-US')} left out`}</Badge>
          </>
        )}
      </div>
    ),
  },
  { header: 'Dead letters', cell: ({ deadLetters }) => deadLetters },
  { header: 'Last attempt', cell: ({ lastAttempt }) => <LastAttempt attempt={lastAttempt} /> },
];

/** Lists webhooks, newest first; a row leads to the webhook's page. */
export function WebhooksTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <Table
      label="Webhooks"
      rows={webhooks}
      columns={columns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => paths.webhook(id)}
      onRow={({ id }) => navigate(paths.webhook(id))}
      paged
      {...useUrlPage()}
    />
  );
}

export function LastAttempt({ attempt }: { attempt: Webhook['lastAttempt'] }) {
  if (attempt === null) return 'Never';
  return (
    <div>
      <Stamp at={attempt.at} />
      <br />
      <span className="muted">{answerWord(attempt)}</span>
    </div>
  );
}
