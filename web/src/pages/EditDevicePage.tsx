import { CATEGORIES, type Device, type UpdateDevice } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { DEVICE_FORM, DeviceForm, type DeviceValues } from '../components/DeviceForm.tsx';
import { deviceUpdate, fileInput } from '../device-update.ts';
import { NoDevice } from '../components/NoDevice.tsx';
import { messageOf } from '../errors.ts';
import { labelsOf, labelsText } from '../forms/labels.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm, navigateUnguarded } from '../state/guard.ts';
import { keepForm } from '../state/kept-forms.ts';
import { userAtom } from '../state/session.ts';
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

async function save(
  orgId: string,
  device: Device,
  values: DeviceValues,
  email: string | null,
): Promise<void> {
  const { category } = values;
  if (!isOneOf(CATEGORIES, category)) return;
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
  try {
    await api().updateDevice(orgId, device.id, deviceUpdate(device, change, device.files.map(fileInput)));
    navigateUnguarded(paths.devices, {
      state: { outcome: 'updated', id: device.id, name: values.name.trim() },
    });
  } catch {
    keepForm(DEVICE_FORM, values);
    leaveForm(paths.devices, { state: { outcome: 'updated', error: true } });
  }
}

export function EditDevicePage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id: string }>();
  const email = useAtomValue(userAtom)?.email ?? null;
  const [busy, setBusy] = useState(false);
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
      {device !== undefined && (
        <DeviceForm
          key={device.id}
          initial={valuesOf(device)}
          edit
          busy={busy}
          onSubmit={(values) => {
            setBusy(true);
            void save(orgId, device, values, email);
          }}
        />
      )}
    </div>
  );
}
