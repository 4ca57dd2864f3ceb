import { LIMITS, noticeName, visible, type WebhookDelivery } from '@sentinel-node/contracts';
import { Badge } from '../ui/Badge.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { Stamp } from '../components/Moment.tsx';
import { answerWord, timeWord } from './webhook-words.ts';

const columns: Column<WebhookDelivery>[] = [
  { header: 'Time', cell: ({ at }) => <Stamp at={at} />, className: 'cell-time' },
  {
    header: 'Result',
    cell: ({ delivered }) => (
      <Badge tone={delivered ? 'success' : 'danger'} icon={delivered ? 'check' : 'alert'}>
        {delivered ? 'Delivered' : 'Failed'}
      </Badge>
    ),
  },
  {
    header: 'Notice',
    cell: ({ noticeType }) => <span title={noticeType}>{noticeName(noticeType)}</span>,
  },
  { header: 'Attempt', cell: ({ attempt }) => attempt },
  {
    header: 'Answer',
    cell: (delivery) => (
      <div>
        {answerWord(delivery)}
        <span className="muted">{` ${timeWord(delivery)}`}</span>
        <Answer text={delivery.answer} />
      </div>
    ),
    className: 'cell-text',
  },
];

/** Most characters of an answer that are shown at once. */
const SHOWN_CHARACTERS = 200;

/** Shows a receiver's answer; of a long one the beginning, which opens the rest. */
function Answer({ text: answer }: { text: string }) {
  const text = visible(answer);
  const rest = text.slice(SHOWN_CHARACTERS);
  if (rest === '') return <div className="mono muted">{text}</div>;
  return (
    <details className="mono muted">
      <summary>{text.slice(0, SHOWN_CHARACTERS)}…</summary>
      {rest}
    </details>
  );
}

/** Lists delivery attempts, newest first. */
export function DeliveriesTable({ deliveries }: { deliveries: WebhookDelivery[] }) {
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      columns={columns}
      rowKey={({ id }) => id}
      paged
      cut={{ at: LIMITS.webhookAttempts, text: `The log has the newest ${LIMITS.webhookAttempts} attempts.` }}
    />
  );
}
