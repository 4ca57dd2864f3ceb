import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import type { CreateEnrolment } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { EnrolledDevices } from './EnrolledDevices.tsx';
import { EnrolmentForm } from './EnrolmentForm.tsx';
import { TokenMade } from '../components/TokenMade.tsx';
import { TokenMaking } from '../components/TokenMaking.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';

export function DefineEnrolmentPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.devices} />;
  return (
    <TokenMaking
      over={{ path: paths.enrolments, title: 'Enrolment tokens' }}
      make={(body: CreateEnrolment) => api().addEnrolment(orgId, body)}
      form={(busy, onSubmit) => <EnrolmentForm busy={busy} onSubmit={onSubmit} />}
      made={(token) => (
        <TokenMade
          token={token}
          command={{
            label: 'Command for each machine',
            value: `sentinel agent enrol --server ${window.location.origin} --token ${token}`,
          }}
          warning="Whoever has it can make devices of your organization until it ends."
          more={[['Enrolled since then', <EnrolledDevices />]]}
          done={paths.enrolments}
        />
      )}
    />
  );
}
