import { ALERT_STATUSES, type DeviceListItem } from '@sentinel-node/contracts';
import { capitalised } from '../format.ts';
import { api } from '../state/api.ts';
import { applyToDevices } from '../state/devices.ts';
import { useResource } from '../state/use-resource.ts';
import { Select } from '../ui/Field.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import type { AlertFilter } from './alerts-list.ts';
import { DateFilter } from './DateFilter.tsx';

interface AlertFiltersProps {
  orgId: string;
  value: AlertFilter;
  onChange: (value: AlertFilter) => void;
}

const statuses = [
  { value: '', label: 'All statuses' },
  ...ALERT_STATUSES.map((status) => ({ value: status, label: capitalised(status) })),
];

export function AlertFilters({ orgId, value, onChange }: AlertFiltersProps) {
  const devices = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
    apply: applyToDevices,
  });
  const options = (devices.data?.devices ?? []).map((device) => ({ value: device.id, label: device.name }));
  return (
    <div className="toolbar">
      <SearchInput
        label="Search alerts"
        placeholder="Search alerts"
        value={value.search}
        onChange={(search) => onChange({ ...value, search })}
      />
      <div className="grow toolbar-gap" />
      <DateFilter value={value.date} onChange={(date) => onChange({ ...value, date })} />
      <Select
        label="Status"
        hideLabel
        options={statuses}
        value={value.status}
        onChange={(event) => onChange({ ...value, status: event.target.value })}
      />
      <Select
        label="Device"
        hideLabel
        options={[{ value: '', label: 'All devices' }, ...options]}
        value={value.deviceId}
        onChange={(event) => onChange({ ...value, deviceId: event.target.value })}
      />
    </div>
  );
}
