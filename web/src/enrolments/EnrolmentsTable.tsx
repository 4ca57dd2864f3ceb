import type { EnrolmentState } from '@sentinel-node/contracts';
import type { Enrolment } from '../answers.ts';
import { categoryWord, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import type { Column } from '../ui/Table.tsx';
import { Stamp } from '../components/Moment.tsx';
import {
  TokenName,
  TokensTable,
  TokenStateBadge,
  type TokenLook,
  tokenLook,
} from '../components/TokensTable.tsx';

interface EnrolmentsTableProps {
  orgId: string;
  enrolments: Enrolment[];
  onChanged: () => void;
}

const looks: Record<EnrolmentState, TokenLook> = {
  USABLE: { word: 'Usable', tone: 'success', icon: 'check' },
  USED_UP: { word: 'Used up', tone: 'neutral' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
  ENDED: { word: 'Ended', tone: 'neutral' },
};

function textOf({ namePattern, template, createdBy }: Enrolment): string {
  const files = template.files.length === 1 ? '1 file' : `${template.files.length} files`;
  return `${wordFor(categoryWord, template.category)}, ${files}, named ${namePattern}, by ${createdBy}`;
}

const columns: Column<Enrolment>[] = [
  {
    header: 'Token',
    cell: (one) => <TokenName name={one.name} text={textOf(one)} />,
    className: 'cell-text',
  },
  { header: 'State', cell: ({ state }) => <TokenStateBadge {...tokenLook(looks, state)} /> },
  { header: 'Devices left', cell: ({ usesLeft, uses }) => `${usesLeft} of ${uses}` },
  { header: 'End', cell: ({ expires, ended }) => <Stamp at={ended ?? expires} /> },
  { header: 'Last use', cell: ({ lastUse }) => (lastUse === null ? 'Never' : <Stamp at={lastUse} />) },
];

/** Lists enrolment tokens; usable ones have actions. */
export function EnrolmentsTable({ orgId, enrolments, onChanged }: EnrolmentsTableProps) {
  return (
    <TokensTable
      label="Enrolment tokens"
      tokens={enrolments}
      columns={columns}
      canEnd={({ state }) => state === 'USABLE'}
      endText="No device can be made with it any more. The devices that it made stay."
      end={(id) => api().endEnrolment(orgId, id)}
      onChanged={onChanged}
    />
  );
}
