import type { FileInput, Device, File } from '../answers.ts';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { ChangedMeanwhile } from '../components/ChangedMeanwhile.tsx';
import { FILES_FORM, FilesForm } from './FilesForm.tsx';
import { NoDevice } from '../components/NoDevice.tsx';
import { NoFile } from './NoFile.tsx';
import { leaveFilesForm } from './use-files-outcome.ts';
import { failedChange, messageOf } from '../errors.ts';
import { fileValues } from '../forms/file-values.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { enteredToKeep, type EnteredFiles } from '../state/kept-files.ts';
import { useUrlParams } from '../state/url.ts';
import { useEdited } from '../state/use-edited.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

interface Loaded {
  device: Device;
  /** Number of the organisation's files. */
  present: number;
}

const textOf = (file: File): string => JSON.stringify(fileValues(file));

async function load(orgId: string, deviceId: string, signal: AbortSignal): Promise<Loaded> {
  const [device, { devices }] = await Promise.all([
    api().getDevice(orgId, deviceId, signal),
    api().getDevices(orgId, signal),
  ]);
  return { device, present: devices.reduce((total, other) => total + other.filesCount, 0) };
}

interface EditorProps {
  orgId: string;
  /** The device as it was first read, and the number of the organisation's files. */
  read: Loaded;
  /** Id of the edited file; undefined adds files. */
  fileId: string | undefined;
}

/** Shows the form of files, and saves an edited file only over the state that the form began with. */
function Editor({ orgId, read, fileId }: EditorProps) {
  const like = useUrlParams().get('like');
  const isShown = useIsShown();
  const edited = useEdited(read.device, ({ id }) => api().getDevice(orgId, id));
  const { held: device, progress, setProgress, load } = edited;
  const updated = fileId !== undefined;
  const fileIn = (of: Device): File | undefined => of.files.find(({ id }) => id === fileId);
  const isSameIn = (of: Device): boolean => {
    const [held, fresh] = [fileIn(device), fileIn(of)];
    return held !== undefined && fresh !== undefined && textOf(held) === textOf(fresh);
  };
  const save = async (files: FileInput[]): Promise<void> => {
    const saveOver = (of: Device): Promise<Device> =>
      api().saveFiles(orgId, of.id, files, updated ? tagOf(of) : undefined);
    try {
      await saveOver(device);
    } catch (error) {
      // The tag is of the whole device: another file may be what was changed.
      const fresh = isCode(error, 'STALE') ? await api().getDevice(orgId, device.id) : device;
      if (fresh === device || !isSameIn(fresh)) throw error;
      await saveOver(fresh);
    }
  };
  const submit = async (files: FileInput[], entered: EnteredFiles): Promise<void> => {
    setProgress('busy');
    const place = formPlace();
    try {
      await save(files);
      leaveFilesForm(isShown(), device, { files: files.length, updated });
    } catch (error) {
      if (isCode(error, 'STALE') && isShown()) return setProgress('stale');
      keepForm(FILES_FORM, enteredToKeep(entered), place);
      leaveFilesForm(isShown(), device, { ...failedChange(error), updated, place });
    }
  };
  const file = fileIn(device);
  if (updated && file === undefined) return <NoFile deviceId={device.id} />;
  return (
    <>
      <FilesForm
        device={device}
        file={file}
        like={device.files.find(({ id }) => id === like)}
        present={read.present}
        busy={progress === 'busy'}
        onSubmit={(files, entered) => void submit(files, entered)}
      />
      {progress === 'stale' && <ChangedMeanwhile what="file" load={load} />}
    </>
  );
}

export function FilesPage({ orgId }: { orgId: string }) {
  const { deviceId, fileId } = useParams<{ deviceId: string; fileId?: string }>();
  const { data, error, loading, reload } = useResource<Loaded>({
    key: `files ${deviceId} ${fileId ?? ''}`,
    load: (signal) => load(orgId, deviceId, signal),
  });
  if (isCode(error, 'NOT_FOUND')) return <NoDevice />;
  return (
    <div className="narrow">
      <PageHeader
        title={fileId === undefined ? 'Adding files' : 'Editing file'}
        over={<Link href={paths.device(deviceId)}>{data?.device.name ?? 'Device'}</Link>}
      />
      {loading && <Skeleton lines={8} label="Loading the device" />}
      {data === undefined && error !== null && (
        <ErrorState title="The device cannot be shown" message={messageOf(error)} onRetry={reload} />
      )}
      {data !== undefined && (
        <Editor key={`${deviceId} ${fileId ?? ''}`} orgId={orgId} read={data} fileId={fileId} />
      )}
    </div>
  );
}
