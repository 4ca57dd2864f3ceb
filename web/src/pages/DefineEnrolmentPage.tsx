import type { CreateEnrolment } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { EnrolmentForm } from '../components/EnrolmentForm.tsx';
import { EnrolmentMade } from '../components/EnrolmentMade.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';
import { Notice } from '../ui/Notice.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';

/** The token stands in the memory of this page alone: leaving or reloading it loses the token. */
export function DefineEnrolmentPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [token, setToken] = useState<string | null>(null);
  if (!isAdmin) return <Redirect to={paths.devices} replace />;
  const make = async (body: CreateEnrolment): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setToken((await api().addEnrolment(orgId, body)).token);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <div className="narrow">
      <PageHeader
        title={token === null ? 'Making a token' : 'The token is made'}
        over={<Link href={paths.enrolments}>Enrolment tokens</Link>}
      />
      {token === null ? (
        <EnrolmentForm busy={busy} onSubmit={(body) => void make(body)} />
      ) : (
        <EnrolmentMade token={token} />
      )}
      {failure !== null && (
        <Notice tone="danger" title="The token was not made.">
          {failure}
        </Notice>
      )}
    </div>
  );
}
