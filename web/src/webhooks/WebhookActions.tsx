import type { Webhook } from '../answers.ts';
import { useState } from 'react';
import { mayBeDone } from '../api/errors.ts';
import { failureNotice, type FailureTitles } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm } from '../state/guard.ts';
import { notify } from '../state/notices.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { useShownOnce, type OnceWords } from '../components/use-shown-once.tsx';

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
    text: 'The present one is valid for 24 hours more.',
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

const GIVE_IT = 'and give that one to the receiver: what it has now ends within 24 hours.';

const rotationWords: OnceWords = {
  leave: 'Do you want to leave before the secret is shown?',
  refused: 'There is no new secret.',
  unknown: {
    title: 'It is not known whether there is a new secret.',
    text: `If the “Secret before” is valid for 24 hours from now, there is one that nobody saw: rotate again, ${GIVE_IT}`,
  },
  unseen: {
    title: 'A new secret was made and not shown.',
    text: `Rotate again, ${GIVE_IT}`,
  },
};

const notChanged = {
  refused: 'The webhook was not changed.',
  unknown: 'It is not known whether the webhook was changed.',
};
const notDeleted = {
  refused: 'The webhook was not deleted.',
  unknown: 'It is not known whether the webhook was deleted.',
};
const notSent = {
  refused: 'The test was not sent.',
  unknown: 'It is not known whether the test was sent.',
};

/** Actions of an administrator on a webhook. */
export function WebhookActions({ orgId, webhook, onTest, onSecret, onChanged }: WebhookActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isActing, setIsActing] = useState(false);
  const isShown = useIsShown();
  const { id, name, enabled, rules } = webhook;
  const rotation = useShownOnce(rotationWords, { path: paths.webhook(id), title: name });
  const busy = isActing || rotation.busy;
  const untold = rules.length === 0 ? '' : ` These rules no longer tell it: ${rules.join(', ')}.`;
  const act = async (titles: FailureTitles, work: () => Promise<void>): Promise<void> => {
    setAsked(null);
    setIsActing(true);
    try {
      await work();
    } catch (error) {
      if (mayBeDone(error)) onChanged();
      notify(failureNotice(error, titles));
    }
    setIsActing(false);
  };
  const change = (on: boolean): Promise<void> =>
    act(notChanged, async () => {
      await api().updateWebhook(orgId, id, { enabled: on });
      onChanged();
    });
  const answered: Record<Asked, () => Promise<void>> = {
    rotate: () => {
      setAsked(null);
      return rotation.run(
        () => api().rotateWebhookSecret(orgId, id),
        ({ secret }) => onSecret(secret),
        // The page is shown already, and read again: it tells whether there is a new one.
        ({ action: _, ...notice }) => {
          notify(notice);
          onChanged();
        },
      );
    },
    disable: () => change(false),
    delete: () =>
      act(notDeleted, async () => {
        await api().deleteWebhook(orgId, id);
        leaveForm(isShown(), paths.webhooks, null, { tone: 'success', title: 'The webhook is deleted.' });
      }),
  };
  return (
    <>
      <Button onClick={() => setAsked('delete')} busy={busy}>
        Delete
      </Button>
      <Button onClick={() => setAsked('rotate')} busy={busy}>
        Rotate the secret
      </Button>
      <Button onClick={() => (enabled ? setAsked('disable') : void change(true))} busy={busy}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      {enabled && (
        <Button
          tone="primary"
          busy={busy}
          onClick={() => void act(notSent, async () => onTest((await api().testWebhook(orgId, id)).noticeId))}
        >
          Send a test
        </Button>
      )}
      {rotation.quit}
      {asked !== null && (
        <ConfirmDialog
          title={questions[asked].title(name)}
          text={questions[asked].text + (asked === 'rotate' ? '' : untold)}
          tone={asked === 'rotate' ? 'primary' : 'danger'}
          onYes={() => void answered[asked]()}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
