import type { Device, File } from '@sentinel-node/contracts';
import { useState } from 'react';
import { capitalised } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { FileContact } from './FileContact.tsx';
import { FileMonitoring } from './FileMonitoring.tsx';
import { frequencyWord } from './frequency-word.ts';

interface FilesTableProps {
  orgId: string;
  device: Device;
  files: File[];
  onFile: (file: File) => void;
  onChanged: () => void;
}

export function FilesTable({ orgId, device, files, onFile, onChanged }: FilesTableProps) {
  const [deleting, setDeleting] = useState<File | null>(null);
  const remove = async (file: File): Promise<void> => {
    // A failed deletion has no message of its own: the file is still there when the device is read again.
    await api()
      .deleteFile({ orgId, deviceId: device.id, fileId: file.id })
      .catch(() => null);
    setDeleting(null);
    onChanged();
  };
  const columns: Column<File>[] = [
    { header: 'File name', cell: (file) => <strong>{file.name}</strong>, className: 'cell-text' },
    {
      header: 'Path',
      cell: (file) => <span className="mono">{file.path}</span>,
      className: 'cell-text cell-path',
    },
    { header: 'Type', cell: (file) => capitalised(file.type), className: 'cell-minor' },
    { header: 'Frequency', cell: frequencyWord, className: 'cell-minor' },
    {
      header: 'State',
      className: 'cell-state',
      cell: (file) => <FileContact file={file} deviceEnabled={device.enabled} />,
    },
    {
      header: 'Monitoring',
      className: 'cell-switch',
      cell: (file) => <FileMonitoring orgId={orgId} device={device} file={file} onSaved={onChanged} />,
    },
    {
      header: 'Actions',
      hideHeader: true,
      className: 'cell-actions',
      cell: (file) => <FileMenu device={device} file={file} onDelete={() => setDeleting(file)} />,
    },
  ];
  return (
    <>
      <Table
        label={`Files of ${device.name}`}
        dense
        rows={files}
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
