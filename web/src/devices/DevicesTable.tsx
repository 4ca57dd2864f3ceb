import { visible } from '@sentinel-node/contracts';
import type { DeviceListItem } from '../answers.ts';
import { categoryWord, shownDate, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import type { CountName, CountsOfDevices } from './device-counts.ts';
import { navigate } from '../state/guard.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { useViewSettings } from '../state/view-settings.ts';
import { Badge } from '../ui/Badge.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { DeviceMonitoring } from './DeviceMonitoring.tsx';
import { Labels } from '../components/Labels.tsx';
import { LastContact } from '../components/LastContact.tsx';
import type { ChosenColumn } from '../components/table-columns.ts';

/** Columns that need `useDeviceCounts`. */
export const COUNTED_COLUMNS = ['Status', 'Active alerts', 'Files without contact', 'Files not judged'];

/** Returns the specification's columns and the optional ones. */
export function useDeviceColumns(
  counts: CountsOfDevices | null,
  onSaved: () => void,
): ChosenColumn<DeviceListItem>[] {
  const countOf =
    (name: CountName) =>
    ({ id }: DeviceListItem): number =>
      counts === null ? -1 : (counts.byId.get(id)?.[name] ?? 0);
  const notJudged = countOf('filesNotJudged');
  const statusOf = (device: DeviceListItem): string => {
    const isUnjudged = notJudged(device) > 0 || counts?.notJudgedAtLeast === true;
    const contact = contactOf(device);
    return contact === 'In contact' && isUnjudged ? 'Not all judged' : contact;
  };
  return [
    {
      header: 'Device name',
      cell: (device) => <DeviceName device={device} />,
      className: 'cell-text',
      needed: true,
      order: ({ name }) => name,
    },
    { header: 'ID', cell: (device) => <Hash value={device.id} label={`id of ${device.name}`} /> },
    {
      header: 'Category',
      cell: (device) => wordFor(categoryWord, device.category),
      order: ({ category }) => wordFor(categoryWord, category),
    },
    {
      header: 'Description',
      cell: (device) => (device.description === '' ? '-' : device.description),
      className: 'cell-text muted',
    },
    {
      header: 'Creation date',
      cell: (device) => <time dateTime={device.creationDate}>{shownDate(device.creationDate)}</time>,
      order: ({ creationDate }) => creationDate,
    },
    {
      header: 'Status',
      extra: true,
      cell: (device) => <DeviceStatus words={statusOf(device)} isKnown={counts !== null} />,
      order: (device) => STATUS_ORDER.indexOf(statusOf(device)),
    },
    {
      header: 'Labels',
      extra: true,
      cell: ({ labels }) => <Labels labels={labels} />,
    },
    {
      header: 'Last contact',
      extra: true,
      cell: ({ lastContact, status }) => <LastContact at={lastContact} silent={status === 'NON_ACTIVE'} />,
      order: ({ lastContact }) => lastContact ?? '',
    },
    {
      header: 'Active alerts',
      extra: true,
      className: 'cell-number',
      cell: (device) => <Count value={countOf('activeAlerts')(device)} />,
      order: countOf('activeAlerts'),
    },
    {
      header: 'Files without contact',
      extra: true,
      className: 'cell-number',
      cell: (device) => <Count value={countOf('filesWithoutContact')(device)} />,
      order: countOf('filesWithoutContact'),
    },
    {
      header: 'Files not judged',
      extra: true,
      className: 'cell-number',
      cell: (device) => <Count value={notJudged(device)} isAtLeast={counts?.notJudgedAtLeast === true} />,
      order: notJudged,
    },
    {
      header: 'Files',
      extra: true,
      className: 'cell-number',
      cell: ({ filesCount }) => filesCount.toLocaleString('en-US'),
      order: ({ filesCount }) => filesCount,
    },
    {
      header: 'Monitoring',
      needed: true,
      cell: (device) => <DeviceMonitoring device={device} onSaved={onSaved} />,
    },
  ];
}

interface DevicesTableProps {
  devices: DeviceListItem[];
  columns: Column<DeviceListItem>[];
}

export function DevicesTable({ devices, columns }: DevicesTableProps) {
  return (
    <Table
      label="Devices"
      rows={devices}
      columns={columns}
      rowKey={(device) => device.id}
      onRow={(device) => navigate(paths.device(device.id))}
      rowHref={(device) => paths.device(device.id)}
      density={useViewSettings().settings.density}
      paged
      {...useUrlPage()}
    />
  );
}

/** Shows a count; a negative value means unknown. */
function Count({ value, isAtLeast = false }: { value: number; isAtLeast?: boolean }) {
  if (value < 0) return <span title="Not known">–</span>;
  if (isAtLeast) return <strong>at least {value.toLocaleString('en-US')}</strong>;
  return value === 0 ? <span className="muted">0</span> : <strong>{value.toLocaleString('en-US')}</strong>;
}

const STATUS_ORDER = [
  'No signal',
  'Refused',
  'Not all judged',
  'Waiting for the first contact',
  'Not monitored',
  'In contact',
];

function contactOf({ enabled, lastContact, status, keyRefusedAt }: DeviceListItem): string {
  if (!enabled) return 'Not monitored';
  if (status === 'NON_ACTIVE') return 'No signal';
  // Its last call was refused; the one before may still be recent.
  if (keyRefusedAt !== undefined) return 'Refused';
  if (status !== 'ACTIVE') return `Unknown state: ${wordFor({}, status)}`;
  return lastContact === null ? 'Waiting for the first contact' : 'In contact';
}

/** @param isKnown false: whether all files of the device are judged is not known, so that nothing is green */
function DeviceStatus({ words, isKnown }: { words: string; isKnown: boolean }) {
  if (words === 'In contact' && isKnown) {
    return (
      <Badge tone="success" icon="checkCircle">
        {words}
      </Badge>
    );
  }
  if (words === 'No signal' || words === 'Refused') {
    return (
      <Badge tone="warning" icon="unplugged">
        {words}
      </Badge>
    );
  }
  return <Badge tone="neutral">{words}</Badge>;
}

function DeviceName({ device: { name, keyRefusedAt } }: { device: DeviceListItem }) {
  return (
    <>
      <strong>{visible(name)}</strong>{' '}
      {keyRefusedAt !== undefined && (
        <Badge tone="warning" icon="alert">
          Agent shut out
        </Badge>
      )}
    </>
  );
}
