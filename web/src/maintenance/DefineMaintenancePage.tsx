import { MaintenanceForm } from './MaintenanceForm.tsx';
import { Making } from '../components/Making.tsx';
import { maintenanceRequest, type MaintenanceValues } from '../forms/maintenance-values.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { serverNow } from '../state/clock.ts';

export function DefineMaintenancePage({ orgId }: { orgId: string }) {
  return (
    <Making
      title="Making a maintenance window"
      over={{ path: paths.maintenance, title: 'Maintenance' }}
      failed={{
        refused: 'The window was not made.',
        unknown: 'It is not known whether the window was made: look before you try again.',
      }}
      made="The window is made."
      make={(values: MaintenanceValues) =>
        api().openMaintenance(orgId, maintenanceRequest(values, serverNow()))
      }
      form={(busy, onSubmit) => <MaintenanceForm orgId={orgId} busy={busy} onSubmit={onSubmit} />}
    />
  );
}
