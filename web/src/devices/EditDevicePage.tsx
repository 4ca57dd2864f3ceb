import { CATEGORIES } from '@sentinel-node/contracts';
import type { UpdateDevice, Device } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useMemo } from 'react';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { ChangedMeanwhile } from '../components/ChangedMeanwhile.tsx';
import { DEVICE_FORM, DeviceForm, type DeviceValues } from './DeviceForm.tsx';
import { leaveDeviceForm } from './DeviceNotice.tsx';
import { deviceUpdate, fileInput } from '../device-update.ts';
import { NoDevice } from '../components/NoDevice.tsx';
import { failedChange, messageOf } from '../errors.ts';
import { labelsOf, labelsText } from '../forms/labels.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { userAtom } from '../state/session.ts';
import { useEdited } from '../state/use-edited.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

const valuesOf = (device: Device): DeviceValues => ({
  name: device.name,
  description: device.description,
  path: device.path,
  healthInterval: String(device.healthInterval),
  category: device.category,
  labels: labelsText(device.labels),
  monitoring: device.enabled,
  disabledNote: device.disabledNote ?? '',
});

function updateOf(device: Device, values: DeviceValues, email: string | null): UpdateDevice | null {
  const { category } = values;
  if (!isOneOf(CATEGORIES, category)) return null;
  const change: Partial<UpdateDevice> = {
    name: values.name.trim(),
    description: values.description,
    path: values.path,
    healthInterval: Number(values.healthInterval),
    category,
    labels: labelsOf(values.labels),
    enabled: values.monitoring,
    disabledNote: values.monitoring ? null : values.disabledNote,
    emailAddress: values.monitoring ? null : email,
  };
  return deviceUpdate(device, change, device.files.map(fileInput));
}

interface EditorProps {
  orgId: string;
  /** The device as it was first read. */
  read: Device;
}

/** Shows the form of a device, and saves it only over the state that the form began with. */
function Editor({ orgId, read }: EditorProps) {
  const email = useAtomValue(userAtom)?.email ?? null;
  const isShown = useIsShown();
  const edited = useEdited(read, ({ id }) => api().getDevice(orgId, id));
  const { held: device, progress, setProgress, load } = edited;
  const initial = useMemo(() => valuesOf(device), [device]);
  const submit = async (values: DeviceValues): Promise<void> => {
    const update = updateOf(device, values, email);
    if (update === null) return;
    setProgress('busy');
    const place = formPlace();
    try {
      await api().updateDevice(orgId, device.id, update, tagOf(device));
      leaveDeviceForm(isShown(), { outcome: 'updated', id: device.id, name: values.name.trim() });
    } catch (error) {
      if (isCode(error, 'STALE') && isShown()) return setProgress('stale');
      keepForm(DEVICE_FORM, { values, base: initial }, place);
      leaveDeviceForm(isShown(), { outcome: 'updated', ...failedChange(error) });
    }
  };
  return (
    <>
      <DeviceForm
        initial={initial}
        edit
        busy={progress === 'busy'}
        onSubmit={(values) => void submit(values)}
      />
      {progress === 'stale' && <ChangedMeanwhile what="device" load={load} />}
    </>
  );
}

export function EditDevicePage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id: string }>();
  // No live updates here: the edited values must not change while the person edits them.
  const {
    data: device,
    error,
    loading,
    reload,
  } = useResource<Device>({
    key: `edit ${id}`,
    load: (signal) => api().getDevice(orgId, id, signal),
  });
  if (isCode(error, 'NOT_FOUND')) return <NoDevice />;
  return (
    <div className="narrow">
      <PageHeader
        title="Editing device"
        over={<Link href={paths.device(id)}>{device?.name ?? 'Device'}</Link>}
      />
      {loading && <Skeleton lines={8} label="Loading the device" />}
      {device === undefined && error !== null && (
        <ErrorState title="The device cannot be shown" message={messageOf(error)} onRetry={reload} />
      )}
      {device !== undefined && <Editor key={device.id} orgId={orgId} read={device} />}
    </div>
  );
}
