import type { CreatedWebhook, CreateWebhook } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { SecretShown } from '../components/SecretShown.tsx';
import { WebhookForm } from '../components/WebhookForm.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';

/** Shows a form, then the secret. Only this component stores the secret: leaving or reloading the page loses it. */
export function DefineWebhookPage({ orgId }: { orgId: string }) {
  const isAdmin = useAtomValue(isAdminAtom);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [made, setMade] = useState<CreatedWebhook | null>(null);
  const submit = async (body: CreateWebhook): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setMade(await api().addWebhook(orgId, body));
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  if (!isAdmin) return <Redirect to={paths.users} replace />;
  return (
    <div className="narrow">
      <PageHeader
        title={made === null ? 'Making a webhook' : 'The webhook is made'}
        over={<Link href={paths.webhooks}>Webhooks</Link>}
      />
      {made === null ? (
        <WebhookForm busy={busy} onSubmit={(body) => void submit(body)} />
      ) : (
        <SecretShown
          secret={made.secret}
          text="The receiver checks with it that messages are from here."
          foot={
            <ButtonLink to={paths.webhook(made.id)} tone="primary">
              Go to the webhook
            </ButtonLink>
          }
        />
      )}
      {failure !== null && (
        <Notice tone="danger" title="The webhook was not made.">
          {failure}
        </Notice>
      )}
    </div>
  );
}
