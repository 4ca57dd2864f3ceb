import type { ServiceToken, ServiceTokenState } from '@sentinel-node/contracts';
import { roleWord } from '../format.ts';
import { api } from '../state/api.ts';
import type { Column } from '../ui/Table.tsx';
import { Stamp } from './Moment.tsx';
import { TokenName, TokensTable, TokenStateBadge, type TokenLook } from './TokensTable.tsx';

interface ServiceTokensTableProps {
  orgId: string;
  serviceTokens: ServiceToken[];
  onChanged: () => void;
}

const looks: Record<ServiceTokenState, TokenLook> = {
  VALID: { word: 'Valid', tone: 'success', icon: 'check' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
  ENDED: { word: 'Ended', tone: 'neutral' },
};

const columns: Column<ServiceToken>[] = [
  {
    header: 'Token',
    cell: ({ name, createdBy }) => <TokenName name={name} text={`by ${createdBy}`} />,
    className: 'cell-text',
  },
  { header: 'State', cell: ({ state }) => <TokenStateBadge {...looks[state]} /> },
  { header: 'Role', cell: ({ role, readOnly }) => `${roleWord[role]}${readOnly ? ', reading only' : ''}` },
  { header: 'Ends', cell: ({ expires, ended }) => <Stamp at={ended ?? expires} /> },
  { header: 'Last use', cell: ({ lastUse }) => <LastUse use={lastUse} /> },
];

/** Lists service tokens, newest first; a valid token can be ended. */
export function ServiceTokensTable({ orgId, serviceTokens, onChanged }: ServiceTokensTableProps) {
  return (
    <TokensTable
      label="Service tokens"
      tokens={serviceTokens}
      columns={columns}
      canEnd={({ state }) => state === 'VALID'}
      endText="Every program that uses it is refused from now on."
      end={(id) => api().endServiceToken(orgId, id)}
      onChanged={onChanged}
    />
  );
}

function LastUse({ use }: { use: ServiceToken['lastUse'] }) {
  if (use === null) return 'Never';
  return (
    <>
      <Stamp at={use.at} />
      <br />
      <span className="muted">{`from ${use.address}`}</span>
    </>
  );
}
