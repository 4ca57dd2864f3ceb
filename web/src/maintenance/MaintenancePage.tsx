import { Link } from 'wouter';
import { MaintenanceTable } from './MaintenanceTable.tsx';
import { messageOf } from '../errors.ts';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { useDeviceNames } from '../state/device-names.ts';
import { useActiveOfWindows, useWindows } from '../state/maintenance.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

export function MaintenancePage({ orgId }: { orgId: string }) {
  const windows = useWindows(orgId);
  const activeOf = useActiveOfWindows(orgId);
  const nameOf = useDeviceNames(orgId);
  const { data } = windows;
  return (
    <>
      <PageHeader
        title="Maintenance"
        over={<Link href={paths.alerts}>Alerts history</Link>}
        text="Alerts of a window are marked and set aside; somebody reviews them when it is over."
        actions={
          <>
            <ButtonLink to={paths.expected}>Expected changes</ButtonLink>
            <ButtonLink to={paths.defineMaintenance} tone="primary" icon="plus">
              Make a window
            </ButtonLink>
          </>
        }
      />
      {data !== undefined && data.toReview > 0 && (
        <Notice tone="warning" title={`${plural(data.toReview, 'window')} to be reviewed`}>
          Open it to see its alerts, dismiss them with one note, or look at some.
        </Notice>
      )}
      <section className="card card-flush" aria-label="Maintenance">
        {windows.loading && <Skeleton lines={5} label="Loading maintenance windows" />}
        {data === undefined && windows.error !== null && (
          <ErrorState
            title="Maintenance windows cannot be shown"
            message={messageOf(windows.error)}
            onRetry={windows.reload}
          />
        )}
        {data?.windows.length === 0 && (
          <EmptyState icon="calendar" title="There is no maintenance window yet.">
            Make one before an update, so that its alerts are told apart from those that nobody planned.
          </EmptyState>
        )}
        {data !== undefined && data.windows.length > 0 && (
          <MaintenanceTable windows={data.windows} nameOf={nameOf} activeOf={activeOf} />
        )}
      </section>
    </>
  );
}
