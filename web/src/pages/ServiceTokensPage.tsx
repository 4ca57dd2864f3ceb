import { EventSchema, type EventType, type ServiceTokens } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { Link, Redirect } from 'wouter';
import { ServiceTokensTable } from '../components/ServiceTokensTable.tsx';
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
const CHANGING: ReadonlySet<EventType | undefined> = new Set(['CREATE_SERVICE_TOKEN', 'END_SERVICE_TOKEN']);

/** For administrators: tokens with which programs call the API. */
export function ServiceTokensPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const tokens = useResource<ServiceTokens>({
    key: isAdmin ? `service tokens ${orgId}` : null,
    load: (signal) => api().getServiceTokens(orgId, signal),
    apply: (data, item) =>
      item.kind === 'event' && CHANGING.has(liveObject(EventSchema, item)?.type) ? RELOAD : data,
  });
  if (!isAdmin) return <Redirect to={paths.users} replace />;
  const { data } = tokens;
  return (
    <>
      <PageHeader
        title="Service tokens"
        over={<Link href={paths.users}>Users management</Link>}
        text="Programs call the API with a token, as far as its role allows."
        actions={
          <ButtonLink to={paths.defineServiceToken} tone="primary" icon="plus">
            Make a token
          </ButtonLink>
        }
      />
      <section className="card card-flush" aria-label="Service tokens">
        {tokens.loading && <Skeleton lines={5} label="Loading service tokens" />}
        {data === undefined && tokens.error !== null && (
          <ErrorState
            title="Service tokens cannot be shown"
            message={messageOf(tokens.error)}
            onRetry={tokens.reload}
          />
        )}
        {data?.serviceTokens.length === 0 && (
          <EmptyState icon="users" title="There is no service token yet.">
            Make one to call the API from a script, a pipeline or a dashboard.
          </EmptyState>
        )}
        {data !== undefined && data.serviceTokens.length > 0 && (
          <ServiceTokensTable orgId={orgId} serviceTokens={data.serviceTokens} onChanged={tokens.reload} />
        )}
      </section>
    </>
  );
}
