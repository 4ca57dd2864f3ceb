import { noticeName, type WebhookDeadLetter } from '@sentinel-node/contracts';
import { Button } from '../ui/Button.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { Stamp } from '../components/Moment.tsx';

interface DeadLettersTableProps {
  deadLetters: WebhookDeadLetter[];
  busy: boolean;
  onSendAgain: (noticeIds: string[]) => void;
}

/** Lists undeliverable notices, newest first. */
export function DeadLettersTable({ deadLetters, busy, onSendAgain }: DeadLettersTableProps) {
  const columns: Column<WebhookDeadLetter>[] = [
    {
      header: 'Notice',
      cell: ({ text, noticeType }) => (
        <>
          {text}
          <br />
          <span className="muted" title={noticeType}>
            {noticeName(noticeType)}
          </span>
        </>
      ),
      className: 'cell-text',
    },
    { header: 'Happened', cell: ({ at }) => <Stamp at={at} />, className: 'cell-time' },
    { header: 'Given up', cell: ({ givenUpAt }) => <Stamp at={givenUpAt} />, className: 'cell-time' },
    { header: 'Attempts', cell: ({ attempts }) => attempts },
    { header: 'Problem', cell: ({ problem }) => problem, className: 'cell-text' },
    {
      header: 'Actions',
      hideHeader: true,
      className: 'cell-actions',
      cell: ({ noticeId, text }) => (
        <Button small busy={busy} aria-label={`Send again: ${text}`} onClick={() => onSendAgain([noticeId])}>
          Send again
        </Button>
      ),
    },
  ];
  return (
    <Table
      label="Dead letters"
      rows={deadLetters}
      columns={columns}
      rowKey={({ noticeId }) => noticeId}
      paged
    />
  );
}
