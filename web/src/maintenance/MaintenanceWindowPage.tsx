import type { Maintenance } from '../answers.ts';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { AlertGroups } from '../alerts/AlertGroups.tsx';
import { noFilter } from '../alerts/alerts-list.ts';
import { ChangeWindowModal } from './ChangeWindowModal.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { MaintenanceBadge, MaintenanceTime } from './MaintenanceTable.tsx';
import { scopeWords } from '../components/maintenance-words.ts';
import { Moment } from '../components/Moment.tsx';
import { ReviewModal } from './ReviewModal.tsx';
import { failureNotice, messageOf } from '../errors.ts';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { useDeviceNames } from '../state/device-names.ts';
import { afterMaintenance, useActiveOfWindow } from '../state/maintenance.ts';
import { notify } from '../state/notices.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { useResource } from '../state/use-resource.ts';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Missing } from '../ui/Missing.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

/** Page of a window, its alerts by equal content, and its review. */
export function MaintenanceWindowPage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id: string }>();
  const { data, error, loading, reload, readAgain } = useResource<Maintenance>({
    key: `maintenance window ${id}`,
    load: (signal) => api().getMaintenanceWindow(orgId, id, signal),
    apply: afterMaintenance,
  });
  useReadAgain(readAgain, UNANNOUNCED_MS);
  if (loading) return <Skeleton lines={8} label="Loading the window" />;
  if (isCode(error, 'NOT_FOUND'))
    return (
      <Missing
        page
        icon="calendar"
        title="There is no such maintenance window."
        way={{ to: paths.maintenance, children: 'Go to the maintenance windows' }}
      >
        The link may be wrong.
      </Missing>
    );
  if (data === undefined)
    return <ErrorState page title="The window cannot be shown" message={messageOf(error)} onRetry={reload} />;
  return <Window orgId={orgId} window={data} onChanged={reload} />;
}

interface WindowProps {
  orgId: string;
  window: Maintenance;
  onChanged: () => void;
}

function Window({ orgId, window, onChanged }: WindowProps) {
  const active = useActiveOfWindow(orgId, window.id);
  const filter = { ...noFilter, window: window.id };
  const alerts = `${paths.alerts}?${new URLSearchParams({ window: window.id })}`;
  return (
    <>
      <PageHeader
        title={window.reason}
        over={<Link href={paths.maintenance}>Maintenance</Link>}
        actions={
          <>
            <ButtonLink to={alerts} icon="alert">
              All its alerts
            </ButtonLink>
            <WindowActions orgId={orgId} window={window} active={active} onChanged={onChanged} />
          </>
        }
      />
      <section className="card" aria-label="The window">
        <WindowFacts orgId={orgId} window={window} active={active} />
      </section>
      <section className="card card-flush" aria-labelledby="window-changes">
        <header className="card-head card-head-flush">
          <h2 id="window-changes">The same change on many devices</h2>
        </header>
        <AlertGroups orgId={orgId} filter={filter} by="CHANGE" within={alerts} />
      </section>
    </>
  );
}

const notEnded = {
  refused: 'The window was not ended.',
  unknown: 'It is not known whether the window was ended.',
};

interface WindowActionsProps extends WindowProps {
  /** undefined while unknown. */
  active: number | undefined;
}

function WindowActions({ orgId, window, active, onChanged }: WindowActionsProps) {
  const [asked, setAsked] = useState<'change' | 'end' | 'review' | null>(null);
  const end = async (): Promise<void> => {
    try {
      await api().endMaintenance(orgId, window.id);
    } catch (error) {
      notify(failureNotice(error, notEnded));
    }
    setAsked((present) => (present === 'end' ? null : present));
    onChanged();
  };
  const isRunning = ['PLANNED', 'OPEN', 'PAUSED'].includes(window.state);
  return (
    <>
      {isRunning && (
        <Button icon="edit" onClick={() => setAsked('change')}>
          Change
        </Button>
      )}
      {isRunning && <Button onClick={() => setAsked('end')}>End now</Button>}
      {window.state === 'ENDED' && (
        <Button tone="primary" icon="check" onClick={() => setAsked('review')}>
          Review
        </Button>
      )}
      {asked === 'end' && (
        <ConfirmDialog
          title={`Are you sure you want to end ${window.reason}?`}
          text="Alerts from now on ask for attention. Those of the window wait for its review."
          tone="danger"
          onYes={() => void end()}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'change' && (
        <ChangeWindowModal
          orgId={orgId}
          window={window}
          onClose={() => setAsked(null)}
          onChanged={onChanged}
        />
      )}
      {asked === 'review' && (
        <ReviewModal
          orgId={orgId}
          window={window}
          active={active}
          onClose={() => setAsked(null)}
          onReviewed={onChanged}
        />
      )}
    </>
  );
}

function WindowFacts({ orgId, window, active }: Omit<WindowActionsProps, 'onChanged'>) {
  const nameOf = useDeviceNames(orgId);
  const { review } = window;
  return (
    <DescriptionList
      items={[
        ['State', <MaintenanceBadge state={window.state} />],
        ['Time', <MaintenanceTime window={window} />],
        ['Covers', scopeWords(window.scope, nameOf)],
        ['Made by', window.createdBy],
        ['Active alerts', active === undefined ? 'Not known' : plural(active, 'alert')],
        ...(review === null
          ? []
          : ([
              ['Reviewed by', review.by],
              ['Reviewed', <Moment at={review.at} />],
              ['Note', <span className="preserve">{review.note}</span>],
            ] satisfies [string, React.ReactNode][])),
      ]}
    />
  );
}
