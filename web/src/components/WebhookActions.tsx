import type { Webhook } from '@sentinel-node/contracts';
import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { notify } from '../state/notices.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';

type Asked = 'rotate' | 'disable' | 'delete';

interface WebhookActionsProps {
  orgId: string;
  webhook: Webhook;
  onTest: (noticeId: string) => void;
  onSecret: (secret: string) => void;
  onChanged: () => void;
}

const questions: Record<Asked, { title: (name: string) => string; text: string }> = {
  rotate: {
    title: (name) => `Make a new secret for ${name}?`,
    text: 'The present one is valid for 24 hours more; an older one ends at once.',
  },
  disable: {
    title: (name) => `Disable ${name}?`,
    text: 'Nothing is kept for it meanwhile. What waits becomes dead letters.',
  },
  delete: {
    title: (name) => `Delete ${name}?`,
    text: 'Its log and its dead letters are deleted too.',
  },
};

/** Returns a sentence about the rules that are on and name the webhook; empty when there are none. */
async function rulesText(orgId: string, webhookId: string): Promise<string> {
  try {
    const { rules } = await api().getNotificationRules(orgId);
    const names = rules
      .filter(({ enabled, to }) => enabled && to.webhookIds.includes(webhookId))
      .map(({ name }) => name);
    return names.length === 0 ? '' : ` These rules no longer tell it: ${names.join(', ')}.`;
  } catch {
    return ' Which rules tell it could not be read.';
  }
}

/** Actions of an administrator on a webhook. */
export function WebhookActions({ orgId, webhook, onTest, onSecret, onChanged }: WebhookActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState(false);
  const [rules, setRules] = useState('');
  const { id, name, enabled } = webhook;
  const ask = async (question: Asked): Promise<void> => {
    if (question !== 'rotate') {
      setBusy(true);
      setRules(await rulesText(orgId, id));
      setBusy(false);
    }
    setAsked(question);
  };
  const act = async (title: string, work: () => Promise<void>): Promise<void> => {
    setAsked(null);
    setBusy(true);
    try {
      await work();
    } catch (error) {
      notify({ tone: 'danger', title, text: messageOf(error) });
    }
    setBusy(false);
  };
  const change = (on: boolean): Promise<void> =>
    act('The webhook was not changed.', async () => {
      await api().updateWebhook(orgId, id, { enabled: on });
      onChanged();
    });
  const answered: Record<Asked, () => Promise<void>> = {
    rotate: () =>
      act('There is no new secret.', async () =>
        onSecret((await api().rotateWebhookSecret(orgId, id)).secret),
      ),
    disable: () => change(false),
    delete: () =>
      act('The webhook was not deleted.', async () => {
        await api().deleteWebhook(orgId, id);
        navigate(paths.webhooks);
      }),
  };
  return (
    <>
      <Button onClick={() => void ask('delete')} busy={busy}>
        Delete
      </Button>
      <Button onClick={() => void ask('rotate')} busy={busy}>
        Rotate the secret
      </Button>
      <Button onClick={() => void (enabled ? ask('disable') : change(true))} busy={busy}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      {enabled && (
        <Button
          tone="primary"
          busy={busy}
          onClick={() =>
            void act('The test was not sent.', async () =>
              onTest((await api().testWebhook(orgId, id)).noticeId),
            )
          }
        >
          Send a test
        </Button>
      )}
      {asked !== null && (
        <ConfirmDialog
          title={questions[asked].title(name)}
          text={asked === 'rotate' ? questions[asked].text : `${questions[asked].text}${rules}`}
          tone={asked === 'rotate' ? 'primary' : 'danger'}
          onYes={() => void answered[asked]()}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
