import { EventSchema, type EventType, type Readable } from '@sentinel-node/contracts';
import type { NotificationRules } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import { NotificationRulesTable } from './NotificationRulesTable.tsx';
import { OwnNotifications } from './OwnNotifications.tsx';
import { UndeliveredMails } from './UndeliveredMails.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { liveObject } from '../state/live-object.ts';
import { isAdminAtom } from '../state/session.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

const CHANGING: readonly Readable<EventType>[] = [
  'CREATE_NOTIFICATION_RULE',
  'MODIFY_NOTIFICATION_RULE',
  'DELETE_NOTIFICATION_RULE',
];

/** Page of the person's own mail settings and, for administrators, the organisation's rules. */
export function NotificationsPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  return (
    <>
      <PageHeader
        title="Notifications"
        over={<Link href={paths.users}>Users management</Link>}
        text="Mails say what happens, by the rules of the organization."
        actions={
          isAdmin && (
            <ButtonLink to={paths.defineNotificationRule} tone="primary" icon="plus">
              Make a rule
            </ButtonLink>
          )
        }
      />
      {isAdmin && <Rules orgId={orgId} />}
      <OwnNotifications orgId={orgId} />
    </>
  );
}

function Rules({ orgId }: { orgId: string }) {
  const rules = useResource<NotificationRules>({
    key: `notification rules ${orgId}`,
    load: (signal) => api().getNotificationRules(orgId, signal),
    apply: (data, item) => {
      const type = item.kind === 'event' ? liveObject(EventSchema, item)?.type : undefined;
      return type !== undefined && CHANGING.includes(type) ? RELOAD : data;
    },
  });
  useReadAgain(rules.readAgain, UNANNOUNCED_MS);
  const shown = rules.data?.rules;
  return (
    <section className="card card-flush" aria-labelledby="rules-title">
      <header className="toolbar">
        <h2 id="rules-title" className="grow">
          Rules
        </h2>
      </header>
      {rules.loading && <Skeleton lines={3} label="Loading rules" />}
      {shown === undefined && rules.error !== null && (
        <ErrorState title="Rules cannot be shown" message={messageOf(rules.error)} onRetry={rules.reload} />
      )}
      {rules.data !== undefined && <UndeliveredMails {...rules.data} />}
      {shown?.length === 0 && (
        <EmptyState icon="alert" title="There is no rule.">
          Nobody is told of anything by mail.
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && (
        <NotificationRulesTable orgId={orgId} rules={shown} onChanged={rules.reload} />
      )}
    </section>
  );
}
