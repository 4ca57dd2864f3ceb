import type { Device, File } from '../answers.ts';
import { capitalised, shownDate } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { useViewSettings } from '../state/view-settings.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { FileContact } from './FileContact.tsx';
import { troubleOf } from './file-contact.ts';
import { FileMonitoring } from './FileMonitoring.tsx';
import { frequencyWord } from './frequency-word.ts';
import { LastContact } from '../components/LastContact.tsx';
import type { ChosenColumn } from '../components/table-columns.ts';

interface FileColumnsOptions {
  orgId: string;
  device: Device;
  onDelete: (file: File) => void;
  onSaved: () => void;
}

export function useFileColumns({
  orgId,
  device,
  onDelete,
  onSaved,
}: FileColumnsOptions): ChosenColumn<File>[] {
  return [
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
      order: (file) => troubleOf(file, device.enabled),
      className: 'cell-state',
      cell: (file) => <FileContact file={file} deviceEnabled={device.enabled} />,
    },
    {
      header: 'Last contact',
      extra: true,
      className: 'cell-minor',
      cell: ({ lastContact, contact }) => <LastContact at={lastContact} silent={contact === 'LOST'} />,
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
      cell: (file) => <FileMonitoring orgId={orgId} device={device} file={file} onSaved={onSaved} />,
    },
    {
      header: 'Actions',
      needed: true,
      hideHeader: true,
      className: 'cell-actions',
      cell: (file) => <FileMenu device={device} file={file} onDelete={() => onDelete(file)} />,
    },
  ];
}

interface FilesTableProps {
  device: Device;
  files: File[];
  columns: Column<File>[];
  onFile: (file: File) => void;
}

export function FilesTable({ device, files, columns, onFile }: FilesTableProps) {
  return (
    <Table
      label={`Files of ${device.name}`}
      unit="files"
      dense
      density={useViewSettings().settings.density}
      rows={files}
      columns={columns}
      rowKey={(file) => file.id}
      onRow={onFile}
      rowHref={(file) => paths.file(device.id, file.id)}
      paged
      {...useUrlPage()}
      rowTone={(file) => (file.activeAlerts > 0 ? 'danger' : undefined)}
    />
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
