import { visible, type ServiceTokenState } from '@sentinel-node/contracts';
import type { ServiceToken } from '../answers.ts';
import { plural, roleWord, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { useDeviceNames, type DeviceNames } from '../state/device-names.ts';
import type { Column } from '../ui/Table.tsx';
import { Labels } from '../components/Labels.tsx';
import { Stamp } from '../components/Moment.tsx';
import {
  TokenName,
  TokensTable,
  TokenStateBadge,
  type TokenLook,
  tokenLook,
} from '../components/TokensTable.tsx';

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

const columnsWith = (nameOf: DeviceNames): Column<ServiceToken>[] => [
  {
    header: 'Token',
    cell: ({ name, createdBy }) => <TokenName name={name} text={`by ${createdBy}`} />,
    className: 'cell-text',
  },
  { header: 'State', cell: ({ state }) => <TokenStateBadge {...tokenLook(looks, state)} /> },
  {
    header: 'Role',
    cell: ({ role, readOnly }) => `${wordFor(roleWord, role)}${readOnly ? ', reading only' : ''}`,
  },
  { header: 'Limited to', cell: ({ limits }) => <Limits limits={limits} nameOf={nameOf} /> },
  { header: 'End', cell: ({ expires, ended }) => <Stamp at={ended ?? expires} /> },
  { header: 'Last use', cell: ({ lastUse }) => <LastUse use={lastUse} /> },
];

/** Lists service tokens, newest first; a valid token can be ended. */
export function ServiceTokensTable({ orgId, serviceTokens, onChanged }: ServiceTokensTableProps) {
  const nameOf = useDeviceNames(orgId);
  return (
    <TokensTable
      label="Service tokens"
      tokens={serviceTokens}
      columns={columnsWith(nameOf)}
      canEnd={({ state }) => state === 'VALID'}
      endText="Every program that uses it is refused from now on."
      end={(id) => api().endServiceToken(orgId, id)}
      onChanged={onChanged}
    />
  );
}

/** Devices of a token that are named; of more only the number is shown. */
const NAMED_DEVICES = 3;

function Limits({ limits, nameOf }: Pick<ServiceToken, 'limits'> & { nameOf: DeviceNames }) {
  if (limits === null) return 'The whole organization';
  const { deviceIds, labels } = limits;
  const named = deviceIds.length <= NAMED_DEVICES;
  const devices = named
    ? deviceIds.map((id) => nameOf(id) ?? id).join(', ')
    : plural(deviceIds.length, 'device');
  return (
    <div className="stack stack-tight">
      {deviceIds.length > 0 && <span>{visible(devices)}</span>}
      {labels.length > 0 && <Labels labels={labels} />}
    </div>
  );
}

function LastUse({ use }: { use: ServiceToken['lastUse'] }) {
  if (use === null) return 'Never';
  return (
    <div>
      <Stamp at={use.at} />
      <br />
      <span className="muted">{`from ${use.address}`}</span>
    </div>
  );
}
