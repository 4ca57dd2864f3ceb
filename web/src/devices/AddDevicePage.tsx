import { CATEGORIES, LIMITS, type CreateDevice } from '@sentinel-node/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { DEVICE_FORM, DeviceForm, type DeviceValues } from './DeviceForm.tsx';
import { leaveDeviceForm } from './DeviceNotice.tsx';
import { failedChange } from '../errors.ts';
import { labelsOf } from '../forms/labels.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { PageHeader } from '../ui/PageHeader.tsx';

const initial: DeviceValues = {
  name: '',
  description: '',
  path: '',
  healthInterval: String(LIMITS.healthIntervalSecondsDefault),
  category: '',
  labels: '',
  monitoring: true,
  disabledNote: '',
};

async function add(orgId: string, values: DeviceValues, isShown: () => boolean): Promise<void> {
  const { name, description, path, healthInterval, monitoring, category } = values;
  if (!isOneOf(CATEGORIES, category)) return;
  const body: CreateDevice = {
    name: name.trim(),
    description,
    path,
    healthInterval: Number(healthInterval),
    monitoring,
    category,
    ...(labelsOf(values.labels).length > 0 && { labels: labelsOf(values.labels) }),
  };
  const place = formPlace();
  try {
    const { id } = await api().addDevice(orgId, body);
    leaveDeviceForm(isShown(), { outcome: 'added', id, name: body.name });
  } catch (error) {
    keepForm(DEVICE_FORM, { values, base: initial }, place);
    leaveDeviceForm(isShown(), { outcome: 'added', ...failedChange(error) });
  }
}

export function AddDevicePage({ orgId }: { orgId: string }) {
  const [busy, setBusy] = useState(false);
  const isShown = useIsShown();
  return (
    <div className="narrow">
      <PageHeader title="Adding device" over={<Link href={paths.devices}>Devices</Link>} />
      <DeviceForm
        initial={initial}
        edit={false}
        busy={busy}
        onSubmit={(values) => {
          setBusy(true);
          void add(orgId, values, isShown);
        }}
      />
    </div>
  );
}
