import type { Device, File } from '../answers.ts';
import { useState } from 'react';
import { failureNotice } from '../errors.ts';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { tellElsewhere } from '../state/guard.ts';
import { openByUrl } from '../state/url.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { EmptyState } from '../ui/States.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { FilesTable, useFileColumns } from './FilesTable.tsx';
import { useTableColumns } from '../components/table-columns.ts';
import { TableViewButton } from '../components/TableViewButton.tsx';

interface FilesSectionProps {
  orgId: string;
  device: Device;
  onChanged: () => void;
}

const notDeleted = {
  refused: 'The file was not deleted.',
  unknown: 'It is not known whether the file was deleted.',
};

/** Shows the files of a device with search, view settings and a link to add files. */
export function FilesSection({ orgId, device, onChanged }: FilesSectionProps) {
  const { text: search, setText: setSearch } = useUrlText('search');
  const [deleting, setDeleting] = useState<File | null>(null);
  const wanted = search.trim().toLowerCase();
  const found = device.files.filter((file) => `${file.name} ${file.path}`.toLowerCase().includes(wanted));
  const all = useFileColumns({ orgId, device, onDelete: setDeleting, onSaved: onChanged });
  const { columns, rows, view } = useTableColumns('files', all, found);
  const remove = async (file: File): Promise<void> => {
    try {
      await api().deleteFile({ orgId, deviceId: device.id, fileId: file.id });
    } catch (error) {
      tellElsewhere(failureNotice(error, notDeleted));
    }
    setDeleting((asked) => (asked === file ? null : asked));
    onChanged();
  };
  return (
    <section className="card card-flush" aria-labelledby="files-title">
      <header className="toolbar">
        <h2 id="files-title" className="grow">
          Files <span className="muted num">{plural(device.files.length, 'file')}</span>
        </h2>
        {device.files.length > 0 && (
          <>
            <SearchInput
              label="Search files"
              placeholder="Search files"
              value={search}
              onChange={setSearch}
            />
            <TableViewButton view={view} label={`View of the files of ${device.name}`} />
          </>
        )}
        <ButtonLink to={paths.addFiles(device.id)} state={{ name: device.name }} tone="primary" icon="plus">
          Add files
        </ButtonLink>
      </header>
      {device.files.length === 0 && <EmptyState icon="file" title="There are no files added yet." />}
      {device.files.length > 0 && rows.length === 0 && <EmptyState icon="search" title="No file matches." />}
      {rows.length > 0 && (
        <FilesTable
          device={device}
          files={rows}
          columns={columns}
          onFile={(file) => openByUrl({ file: file.id })}
        />
      )}
      {deleting !== null && (
        <ConfirmDialog
          title={`Are you sure you want to delete ${deleting.name} file?`}
          text="Its chain, events and alerts stay readable."
          tone="danger"
          onYes={() => void remove(deleting)}
          onClose={() => setDeleting(null)}
        />
      )}
    </section>
  );
}
