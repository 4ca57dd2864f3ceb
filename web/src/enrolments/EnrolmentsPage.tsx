import { useAtomValue } from 'jotai';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { EnrolmentsTable } from './EnrolmentsTable.tsx';
import { TokensPage } from '../components/TokensPage.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';

/** Page for administrators: tokens with which agents enrol devices. */
export function EnrolmentsPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.devices} />;
  return (
    <TokensPage
      title="Enrolment tokens"
      text="Agents make their own devices with a token, as its template says."
      over={{ path: paths.devices, title: 'Devices' }}
      make={paths.defineEnrolment}
      resource={`enrolments ${orgId}`}
      load={async (signal) => (await api().getEnrolments(orgId, signal)).enrolments}
      changing={['CREATE_ENROLMENT', 'END_ENROLMENT', 'ENROL_DEVICE']}
      empty={{ icon: 'device', text: 'Make one to roll out agents to many machines.' }}
      table={(enrolments, onChanged) => (
        <EnrolmentsTable orgId={orgId} enrolments={enrolments} onChanged={onChanged} />
      )}
    />
  );
}
