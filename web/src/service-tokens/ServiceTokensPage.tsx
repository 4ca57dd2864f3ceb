import { useAtomValue } from 'jotai';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { ApiReference } from '../frame/ApiReference.tsx';
import { ServiceTokensTable } from './ServiceTokensTable.tsx';
import { TokensPage } from '../components/TokensPage.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';

/** Page for administrators: tokens with which programs call the API. */
export function ServiceTokensPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.users} />;
  return (
    <TokensPage
      title="Service tokens"
      text="Programs call the API with a token, as far as its role and its limits allow."
      reference={<ApiReference />}
      over={{ path: paths.users, title: 'Users management' }}
      make={paths.defineServiceToken}
      resource={`service tokens ${orgId}`}
      load={async (signal) => (await api().getServiceTokens(orgId, signal)).serviceTokens}
      changing={['CREATE_SERVICE_TOKEN', 'END_SERVICE_TOKEN']}
      empty={{ icon: 'users', text: 'Make one to call the API from a script, a pipeline or a dashboard.' }}
      table={(serviceTokens, onChanged) => (
        <ServiceTokensTable orgId={orgId} serviceTokens={serviceTokens} onChanged={onChanged} />
      )}
    />
  );
}
