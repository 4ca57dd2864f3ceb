import { LIMITS, noticeName, type WebhookDelivery } from '@sentinel-node/contracts';
import { Badge } from '../ui/Badge.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { Stamp } from './Moment.tsx';
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
        {delivery.answer !== '' && (
          <>
            <br />
            <span className="mono muted">{delivery.answer.slice(0, SHOWN_CHARACTERS)}</span>
          </>
        )}
      </div>
    ),
    className: 'cell-text',
  },
];

/** Most shown characters of an answer. */
const SHOWN_CHARACTERS = 200;

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
