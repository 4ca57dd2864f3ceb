import { useAtomValue } from 'jotai';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { TokensPage } from '../components/TokensPage.tsx';
import { WebhooksTable } from './WebhooksTable.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';

/** Page for administrators: receivers of notices. */
export function WebhooksPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.users} />;
  return (
    <TokensPage
      title="Webhooks"
      text="Notices go to chats, on-call services, SIEMs and programs, signed."
      over={{ path: paths.users, title: 'Users management' }}
      make={paths.defineWebhook}
      makeText="Make a webhook"
      resource={`webhooks ${orgId}`}
      load={async (signal) => (await api().getWebhooks(orgId, signal)).webhooks}
      changing={[
        'CREATE_WEBHOOK',
        'MODIFY_WEBHOOK',
        'ROTATE_WEBHOOK_SECRET',
        'DISABLE_WEBHOOK',
        'RESEND_WEBHOOK_NOTICES',
        'DELETE_WEBHOOK',
      ]}
      empty={{ icon: 'bell', text: 'Make one to be told of alerts where you work.' }}
      table={(webhooks) => <WebhooksTable webhooks={webhooks} />}
    />
  );
}
