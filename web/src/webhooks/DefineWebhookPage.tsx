import type { CreateWebhook } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import { MakingOnce } from '../components/MakingOnce.tsx';
import { SecretShown } from './SecretShown.tsx';
import type { OnceWords } from '../components/use-shown-once.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { isAdminAtom } from '../state/session.ts';
import { ButtonLink } from '../ui/Button.tsx';

const words: OnceWords = {
  leave: 'Do you want to leave before the secret is shown?',
  refused: 'The webhook was not made.',
  unknown: {
    title: 'It is not known whether the webhook was made.',
    text: 'If the list has it, delete it or rotate its secret: nobody saw the secret.',
  },
  unseen: {
    title: 'A webhook was made, and its secret was not shown.',
    text: 'Rotate its secret, or delete it.',
  },
};

/** Shows a form, then the secret. */
export function DefineWebhookPage({ orgId }: { orgId: string }) {
  if (!useAtomValue(isAdminAtom)) return <AdministratorsOnly instead={paths.users} />;
  return (
    <MakingOnce
      over={{ path: paths.webhooks, title: 'Webhooks' }}
      titles={{ making: 'Making a webhook', made: 'The webhook is made' }}
      words={words}
      make={(body: CreateWebhook) => api().addWebhook(orgId, body)}
      form={(busy, onSubmit) => <WebhookForm busy={busy} onSubmit={onSubmit} />}
      made={({ id, secret }) => (
        <SecretShown
          secret={secret}
          text="The receiver checks with it that messages are from here."
          foot={
            <ButtonLink to={paths.webhook(id)} tone="primary">
              Go to the webhook
            </ButtonLink>
          }
        />
      )}
    />
  );
}
