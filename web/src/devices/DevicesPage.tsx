import { useRef } from 'react';
import type { DeviceListItem } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { DeviceNotice, useDeviceNotice } from './DeviceNotice.tsx';
import { COUNTED_COLUMNS, DevicesTable, useDeviceColumns } from './DevicesTable.tsx';
import { TableViewButton } from '../components/TableViewButton.tsx';
import { useIsWanted, useTableColumns } from '../components/table-columns.ts';
import { messageOf } from '../errors.ts';
import { categoryWord, shownDate, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { applyToDevices } from '../state/devices.ts';
import { isAdminAtom } from '../state/session.ts';
import { useDeviceCounts } from './device-counts.ts';
import { useResource } from '../state/use-resource.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { focusOn } from '../ui/focus-on.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

const matches = (device: DeviceListItem, search: string): boolean =>
  [
    device.name,
    device.id,
    wordFor(categoryWord, device.category),
    device.description,
    shownDate(device.creationDate),
    ...(device.labels ?? []),
  ].some((text) => text.toLowerCase().includes(search));

export function DevicesPage({ orgId }: { orgId: string }) {
  const { text: search, setText: setSearch } = useUrlText('search');
  const isAdmin = useAtomValue(isAdminAtom);
  const notice = useDeviceNotice();
  const list = useRef<HTMLElement>(null);
  const resource = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
    apply: applyToDevices,
  });
  const devices = resource.data?.devices;
  const found = devices?.filter((device) => matches(device, search.trim().toLowerCase())) ?? [];
  const counts = useDeviceCounts(orgId, useIsWanted('devices', COUNTED_COLUMNS));
  const { columns, rows, view } = useTableColumns(
    'devices',
    useDeviceColumns(counts, resource.reload),
    found,
  );
  return (
    <>
      <PageHeader
        title="Devices"
        actions={
          <>
            {isAdmin && <ButtonLink to={paths.enrolments}>Enrolment tokens</ButtonLink>}
            <ButtonLink to={paths.addDevice} tone="primary" icon="plus">
              Add device
            </ButtonLink>
          </>
        }
      />
      <DeviceNotice {...notice} onClose={() => focusOn(list.current)} />
      <section
        className="card card-flush devices"
        tabIndex={-1}
        ref={list}
        data-notice={notice.state !== null || undefined}
        aria-label="Devices"
      >
        <div className="toolbar">
          <SearchInput
            label="Search devices"
            placeholder="Search devices"
            value={search}
            onChange={setSearch}
          />
          <div className="grow" />
          <TableViewButton view={view} label="View of devices" />
        </div>
        {resource.loading && <Skeleton lines={6} label="Loading devices" />}
        {devices === undefined && resource.error !== null && (
          <ErrorState
            title="Devices cannot be shown"
            message={messageOf(resource.error)}
            onRetry={resource.reload}
          />
        )}
        {devices?.length === 0 && <EmptyState icon="device" title="There are no devices added yet." />}
        {devices !== undefined && devices.length > 0 && rows.length === 0 && (
          <EmptyState icon="search" title="No device matches." />
        )}
        {rows.length > 0 && <DevicesTable devices={rows} columns={columns} />}
      </section>
    </>
  );
}
