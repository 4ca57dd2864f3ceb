import type { DeviceListItem } from '@sentinel-node/contracts';
import { categoryWord, shownDate } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Badge } from '../ui/Badge.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { DeviceMonitoring } from './DeviceMonitoring.tsx';

interface DevicesTableProps {
  devices: DeviceListItem[];
  onSaved: () => void;
}

export function DevicesTable({ devices, onSaved }: DevicesTableProps) {
  const columns: Column<DeviceListItem>[] = [
    { header: 'Device name', cell: (device) => <DeviceName device={device} />, className: 'cell-text' },
    { header: 'ID', cell: (device) => <Hash value={device.id} label={`id of ${device.name}`} /> },
    { header: 'Category', cell: (device) => categoryWord[device.category] },
    {
      header: 'Description',
      cell: (device) => (device.description === '' ? '-' : device.description),
      className: 'cell-text muted',
    },
    {
      header: 'Creation date',
      cell: (device) => <time dateTime={device.creationDate}>{shownDate(device.creationDate)}</time>,
    },
    { header: 'Monitoring', cell: (device) => <DeviceMonitoring device={device} onSaved={onSaved} /> },
  ];
  return (
    <Table
      label="Devices"
      rows={devices}
      columns={columns}
      rowKey={(device) => device.id}
      onRow={(device) => navigate(paths.device(device.id))}
      rowHref={(device) => paths.device(device.id)}
      paged
      {...useUrlPage()}
    />
  );
}

function DeviceName({ device: { name, keyRefusedAt } }: { device: DeviceListItem }) {
  return (
    <>
      <strong>{name}</strong>{' '}
      {keyRefusedAt !== undefined && (
        <Badge tone="warning" icon="alert">
          Agent shut out
        </Badge>
      )}
    </>
  );
}
