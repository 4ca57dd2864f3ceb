import type { Enrolment, EnrolmentState } from '@sentinel-node/contracts';
import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { categoryWord } from '../format.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Stamp } from './Moment.tsx';

interface EnrolmentsTableProps {
  orgId: string;
  enrolments: Enrolment[];
  onChanged: () => void;
}

interface Look {
  word: string;
  tone: Tone;
  icon?: IconName;
}

const looks: Record<EnrolmentState, Look> = {
  USABLE: { word: 'Usable', tone: 'success', icon: 'check' },
  USED_UP: { word: 'Used up', tone: 'neutral' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
  ENDED: { word: 'Ended', tone: 'neutral' },
};

const columns: Column<Enrolment>[] = [
  { header: 'Token', cell: (one) => <TokenName enrolment={one} />, className: 'cell-text' },
  { header: 'State', cell: ({ state }) => <State {...looks[state]} /> },
  { header: 'Devices left', cell: ({ usesLeft, uses }) => `${usesLeft} of ${uses}` },
  { header: 'Ends', cell: ({ expires, ended }) => <Stamp at={ended ?? expires} /> },
  { header: 'Last use', cell: ({ lastUse }) => (lastUse === null ? 'Never' : <Stamp at={lastUse} />) },
];

/** Enrolment tokens, with what can be done about those that can be used. */
export function EnrolmentsTable({ orgId, enrolments, onChanged }: EnrolmentsTableProps) {
  const [ending, setEnding] = useState<Enrolment | null>(null);
  const end = async ({ id }: Enrolment): Promise<void> => {
    try {
      await api().endEnrolment(orgId, id);
    } catch (error) {
      notify({ tone: 'danger', title: 'The token was not ended.', text: messageOf(error) });
    }
    setEnding(null);
    onChanged();
  };
  const actions: Column<Enrolment> = {
    header: 'Actions',
    hideHeader: true,
    className: 'cell-actions',
    cell: (one) =>
      one.state === 'USABLE' ? (
        <Button small aria-label={`End ${one.name}`} onClick={() => setEnding(one)}>
          End
        </Button>
      ) : (
        '-'
      ),
  };
  return (
    <>
      <Table
        label="Enrolment tokens"
        rows={enrolments}
        columns={[...columns, actions]}
        rowKey={({ id }) => id}
        paged
        {...useUrlPage()}
      />
      {ending !== null && (
        <ConfirmDialog
          title={`Are you sure you want to end ${ending.name}?`}
          text="No device can be made with it any more. The devices that it made stay."
          tone="danger"
          onYes={() => void end(ending)}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

function TokenName({ enrolment }: { enrolment: Enrolment }) {
  const { name, namePattern, template, createdBy } = enrolment;
  const files = template.files.length === 1 ? '1 file' : `${template.files.length} files`;
  return (
    <>
      <strong>{name}</strong>
      <br />
      <span className="muted">
        {`${categoryWord[template.category]}, ${files}, named ${namePattern}, by ${createdBy}`}
      </span>
    </>
  );
}

function State({ word, tone, icon }: Look) {
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {word}
    </Badge>
  );
}
