import type { Device, File } from '@sentinel-node/contracts';
import { useState } from 'react';
import { ago, capitalised, shownDate } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { useNow } from '../state/use-now.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { useViewSettings } from '../state/view-settings.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Table } from '../ui/Table.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { FileContact } from './FileContact.tsx';
import { FileMonitoring } from './FileMonitoring.tsx';
import { frequencyWord } from './frequency-word.ts';
import { useTableColumns, type ChosenColumn } from './table-columns.ts';
import { TableViewButton } from './TableViewButton.tsx';

interface FilesTableProps {
  orgId: string;
  device: Device;
  files: File[];
  onFile: (file: File) => void;
  onChanged: () => void;
}

/** In the order in which an eye looks for trouble. */
function troubleOf({ activeAlerts, contact, enabled }: File): number {
  if (activeAlerts > 0) return -activeAlerts;
  if (!enabled) return 2;
  return contact === 'LOST' ? 0 : contact === 'WAITING' ? 1 : 3;
}

export function FilesTable({ orgId, device, files, onFile, onChanged }: FilesTableProps) {
  const [deleting, setDeleting] = useState<File | null>(null);
  const { settings } = useViewSettings();
  const now = useNow();
  const remove = async (file: File): Promise<void> => {
    // A failed deletion has no message of its own: the file is still there when the device is read again.
    await api()
      .deleteFile({ orgId, deviceId: device.id, fileId: file.id })
      .catch(() => null);
    setDeleting(null);
    onChanged();
  };
  const all: ChosenColumn<File>[] = [
    {
      header: 'File name',
      cell: (file) => <strong>{file.name}</strong>,
      className: 'cell-text',
      needed: true,
      order: ({ name }) => name,
    },
    {
      header: 'Path',
      cell: (file) => <span className="mono">{file.path}</span>,
      className: 'cell-text cell-path',
      order: ({ path }) => path,
    },
    { header: 'Type', cell: (file) => capitalised(file.type), className: 'cell-minor' },
    { header: 'Frequency', cell: frequencyWord, className: 'cell-minor' },
    {
      header: 'State',
      needed: true,
      order: troubleOf,
      className: 'cell-state',
      cell: (file) => <FileContact file={file} deviceEnabled={device.enabled} />,
    },
    {
      header: 'Last contact',
      extra: true,
      className: 'cell-minor',
      cell: ({ lastContact }) => (lastContact === null ? 'None yet' : ago(lastContact, now)),
      order: ({ lastContact }) => lastContact ?? '',
    },
    {
      header: 'Creation date',
      extra: true,
      className: 'cell-minor',
      cell: ({ creationDate }) => shownDate(creationDate),
      order: ({ creationDate }) => creationDate,
    },
    {
      header: 'Monitoring',
      needed: true,
      className: 'cell-switch',
      cell: (file) => <FileMonitoring orgId={orgId} device={device} file={file} onSaved={onChanged} />,
    },
    {
      header: 'Actions',
      needed: true,
      hideHeader: true,
      className: 'cell-actions',
      cell: (file) => <FileMenu device={device} file={file} onDelete={() => setDeleting(file)} />,
    },
  ];
  const { columns, rows, view } = useTableColumns('files', all, files);
  return (
    <>
      <div className="table-tools">
        <TableViewButton view={view} label={`View of the files of ${device.name}`} />
      </div>
      <Table
        label={`Files of ${device.name}`}
        dense
        density={settings.density}
        rows={rows}
        columns={columns}
        rowKey={(file) => file.id}
        onRow={onFile}
        rowHref={(file) => paths.file(device.id, file.id)}
        paged
        {...useUrlPage()}
        rowTone={(file) => (file.activeAlerts > 0 ? 'danger' : undefined)}
      />
      {deleting !== null && (
        <ConfirmDialog
          title={`Are you sure you want to delete ${deleting.name} file?`}
          text="Its chain, events and alerts stay readable."
          tone="danger"
          onYes={() => void remove(deleting)}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

function FileMenu({ device, file, onDelete }: { device: Device; file: File; onDelete: () => void }) {
  return (
    <Menu
      label={`Actions for ${file.name}`}
      trigger={<Icon name="more" />}
      items={[
        { label: 'Open its page', icon: 'file', run: () => navigate(paths.filePage(device.id, file.id)) },
        { label: 'Edit', icon: 'edit', run: () => navigate(paths.editFile(device.id, file.id)) },
        { label: 'Delete', icon: 'trash', danger: true, run: onDelete },
      ]}
    />
  );
}
