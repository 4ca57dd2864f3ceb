import type { Dashboard } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import { ActivityCard } from './ActivityCard.tsx';
import { EventsSection } from '../events/EventsSection.tsx';
import { HealthCard } from './HealthCard.tsx';
import { NotificationsCard } from './NotificationsCard.tsx';
import { notificationsOf } from './notifications.ts';
import { PerformanceCard } from './PerformanceCard.tsx';
import { SummaryBar } from './SummaryBar.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { applyToDashboard } from './live-dashboard.ts';
import { isAdminAtom } from '../state/session.ts';
import { useReadAfter, useReadAgain } from '../state/use-read-again.ts';
import { useResource } from '../state/use-resource.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

export function DashboardPage({ orgId }: { orgId: string }) {
  const dashboard = useResource<Dashboard>({
    key: `dashboard ${orgId}`,
    load: (signal) => api().getDashboard(orgId, signal),
    apply: applyToDashboard,
  });
  const { data, error } = dashboard;
  useReadAgain(dashboard.readAgain);
  useReadAfter(dashboard.readAgain, dashboard.data?.nextWindowEnd);
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          <>
            <Link href={paths.alerts}>See alert history</Link>
            <ButtonLink to={paths.addDevice} icon="plus">
              Add device
            </ButtonLink>
          </>
        }
      />
      {data !== undefined && <Figures dashboard={data} />}
      {dashboard.loading && <FiguresLoading />}
      {data === undefined && error !== null && (
        <section className="card">
          <ErrorState
            title="The dashboard cannot be shown"
            message={messageOf(error)}
            onRetry={dashboard.reload}
          />
        </section>
      )}
      <ActivityCard orgId={orgId} hours={data?.activity} contact={data?.contact} failed={error !== null} />
      <EventsSection orgId={orgId} />
    </>
  );
}

function Figures({ dashboard }: { dashboard: Dashboard }) {
  const notifications = notificationsOf(dashboard, useAtomValue(isAdminAtom));
  return (
    <>
      <SummaryBar dashboard={dashboard} notifications={notifications.count} />
      <div className="cards">
        <HealthCard dashboard={dashboard} />
        <PerformanceCard dashboard={dashboard} />
        <NotificationsCard notifications={notifications} />
      </div>
    </>
  );
}

function FiguresLoading() {
  return (
    <div className="cards">
      {['Loading health', 'Loading performance', 'Loading notifications'].map((label) => (
        <section key={label} className="card">
          <Skeleton lines={5} label={label} />
        </section>
      ))}
    </div>
  );
}
