import type { CreateServiceToken } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { ServiceTokenForm } from './ServiceTokenForm.tsx';
import { TokenMade } from '../components/TokenMade.tsx';
import { TokenMaking } from '../components/TokenMaking.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';

export function DefineServiceTokenPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.users} />;
  return (
    <TokenMaking
      over={{ path: paths.serviceTokens, title: 'Service tokens' }}
      make={(body: CreateServiceToken) => api().addServiceToken(orgId, body)}
      form={(busy, onSubmit) => <ServiceTokenForm orgId={orgId} busy={busy} onSubmit={onSubmit} />}
      made={(token) => (
        <TokenMade
          token={token}
          command={{
            label: 'Try it',
            value: `curl -H "Authorization: Bearer ${token}" ${window.location.origin}/api/v1/devices/${orgId}`,
          }}
          warning="Whoever has it can call the API as far as its role and its limits allow, until it ends."
          done={paths.serviceTokens}
        />
      )}
    />
  );
}
