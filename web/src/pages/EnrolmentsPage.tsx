import { EventSchema, type Enrolments, type EventType } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { Link, Redirect } from 'wouter';
import { EnrolmentsTable } from '../components/EnrolmentsTable.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { liveObject } from '../state/live-object.ts';
import { isAdminAtom } from '../state/session.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

/** Events after which the list is another. */
const CHANGING: ReadonlySet<EventType | undefined> = new Set([
  'CREATE_ENROLMENT',
  'END_ENROLMENT',
  'ENROL_DEVICE',
]);

/** For administrators: tokens that agents make their devices with. */
export function EnrolmentsPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const tokens = useResource<Enrolments>({
    key: isAdmin ? `enrolments ${orgId}` : null,
    load: (signal) => api().getEnrolments(orgId, signal),
    apply: (data, item) =>
      item.kind === 'event' && CHANGING.has(liveObject(EventSchema, item)?.type) ? RELOAD : data,
  });
  if (!isAdmin) return <Redirect to={paths.devices} replace />;
  const { data } = tokens;
  return (
    <>
      <PageHeader
        title="Enrolment tokens"
        over={<Link href={paths.devices}>Devices</Link>}
        text="Agents make their own devices with a token, as its template says."
        actions={
          <ButtonLink to={paths.defineEnrolment} tone="primary" icon="plus">
            Make a token
          </ButtonLink>
        }
      />
      <section className="card card-flush" aria-label="Enrolment tokens">
        {tokens.loading && <Skeleton lines={5} label="Loading enrolment tokens" />}
        {data === undefined && tokens.error !== null && (
          <ErrorState
            title="Enrolment tokens cannot be shown"
            message={messageOf(tokens.error)}
            onRetry={tokens.reload}
          />
        )}
        {data?.enrolments.length === 0 && (
          <EmptyState icon="device" title="There is no enrolment token yet.">
            Make one to roll out agents to many machines.
          </EmptyState>
        )}
        {data !== undefined && data.enrolments.length > 0 && (
          <EnrolmentsTable orgId={orgId} enrolments={data.enrolments} onChanged={tokens.reload} />
        )}
      </section>
    </>
  );
}
