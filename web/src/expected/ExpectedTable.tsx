import type { ExpectedState } from '@sentinel-node/contracts';
import type { ExpectedList } from '../answers.ts';
import { Link } from 'wouter';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import type { DeviceNames } from '../state/device-names.ts';
import type { Column } from '../ui/Table.tsx';
import { scopeWords } from '../components/maintenance-words.ts';
import { Stamp } from '../components/Moment.tsx';
import { TokensTable, TokenStateBadge, type TokenLook, tokenLook } from '../components/TokensTable.tsx';

export const expectedLook: Record<ExpectedState, TokenLook> = {
  VALID: { word: 'Valid', tone: 'success', icon: 'check' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
  ENDED: { word: 'Ended', tone: 'neutral' },
};

interface ExpectedTableProps {
  orgId: string;
  lists: ExpectedList[];
  nameOf: DeviceNames;
  onChanged: () => void;
}

/** Shows lists of expected changes, newest first; a valid list can be ended. */
export function ExpectedTable({ orgId, lists, nameOf, onChanged }: ExpectedTableProps) {
  const named = lists.map((list) => ({ ...list, name: list.reason }));
  const columns: Column<(typeof named)[number]>[] = [
    {
      header: 'List',
      cell: ({ id, reason, createdBy }) => (
        <>
          <Link href={paths.expectedList(id)}>
            <strong>{reason}</strong>
          </Link>
          <br />
          <span className="muted">{`by ${createdBy}`}</span>
        </>
      ),
      className: 'cell-text',
    },
    { header: 'State', cell: ({ state }) => <TokenStateBadge {...tokenLook(expectedLook, state)} /> },
    { header: 'Covers', cell: ({ scope }) => scopeWords(scope, nameOf), className: 'cell-text' },
    { header: 'Contents', cell: ({ entries }) => plural(entries, 'file') },
    { header: 'Ends', cell: ({ end, ended }) => <Stamp at={ended ?? end} /> },
  ];
  return (
    <TokensTable
      label="Expected changes"
      what="list"
      tokens={named}
      columns={columns}
      canEnd={({ state }) => state === 'VALID'}
      endText="Later alerts are not marked by it. Those that are stay so."
      end={(id) => api().endExpected(orgId, id)}
      onChanged={onChanged}
    />
  );
}
