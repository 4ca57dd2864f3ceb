import type { Device, FileInput } from '@sentinel-node/contracts';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { FILES_FORM, FilesForm } from '../components/FilesForm.tsx';
import { NoDevice } from '../components/NoDevice.tsx';
import { NoFile } from '../components/NoFile.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm, navigateUnguarded } from '../state/guard.ts';
import { keepForm } from '../state/kept-forms.ts';
import { dropFiles, enteredToKeep, keepFiles, type EnteredFiles } from '../state/kept-files.ts';
import { useUrlParams } from '../state/url.ts';
import { useResource } from '../state/use-resource.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

interface Saving {
  files: FileInput[];
  /** Entered values, kept after a failure for another attempt. */
  entered: EnteredFiles;
  updated: boolean;
}

async function save(orgId: string, deviceId: string, { files, entered, updated }: Saving): Promise<void> {
  try {
    await api().saveFiles(orgId, deviceId, files);
    dropFiles();
    navigateUnguarded(paths.device(deviceId), { state: { files: files.length, updated } });
  } catch {
    if (updated) keepForm(FILES_FORM, enteredToKeep(entered));
    else keepFiles(deviceId, entered);
    leaveForm(paths.device(deviceId), { state: { error: true, updated } });
  }
}

async function load(orgId: string, deviceId: string, signal: AbortSignal) {
  const [device, { devices }] = await Promise.all([
    api().getDevice(orgId, deviceId, signal),
    api().getDevices(orgId, signal),
  ]);
  return { device, present: devices.reduce((total, other) => total + other.filesCount, 0) };
}

export function FilesPage({ orgId }: { orgId: string }) {
  const { deviceId, fileId } = useParams<{ deviceId: string; fileId?: string }>();
  const like = useUrlParams().get('like');
  const [busy, setBusy] = useState(false);
  const { data, error, loading, reload } = useResource<{ device: Device; present: number }>({
    key: `files ${deviceId} ${fileId ?? ''}`,
    load: (signal) => load(orgId, deviceId, signal),
  });
  const edit = fileId !== undefined;
  const file = data?.device.files.find((candidate) => candidate.id === fileId);
  if (isCode(error, 'NOT_FOUND')) return <NoDevice />;
  return (
    <div className="narrow">
      <PageHeader
        title={edit ? 'Editing file' : 'Adding files'}
        over={<Link href={paths.device(deviceId)}>{data?.device.name ?? 'Device'}</Link>}
      />
      {loading && <Skeleton lines={8} label="Loading the device" />}
      {data === undefined && error !== null && (
        <ErrorState title="The device cannot be shown" message={messageOf(error)} onRetry={reload} />
      )}
      {data !== undefined && edit && file === undefined && <NoFile deviceId={deviceId} />}
      {data !== undefined && (!edit || file !== undefined) && (
        <FilesForm
          key={fileId ?? 'new'}
          device={data.device}
          file={file}
          like={data.device.files.find(({ id }) => id === like)}
          present={data.present}
          busy={busy}
          onSubmit={(files, entered) => {
            setBusy(true);
            void save(orgId, deviceId, { files, entered, updated: edit });
          }}
        />
      )}
    </div>
  );
}
