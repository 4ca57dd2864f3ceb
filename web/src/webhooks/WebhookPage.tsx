import { LIMITS, type WebhookDeadLetter, type WebhookDelivery } from '@sentinel-node/contracts';
import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import type { Webhook } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { DeadLettersTable } from './DeadLettersTable.tsx';
import { DeliveriesTable } from './DeliveriesTable.tsx';
import { Deadline, Moment } from '../components/Moment.tsx';
import { SecretShown } from './SecretShown.tsx';
import { TokenStateBadge } from '../components/TokensTable.tsx';
import { answerWord, shapeWord, timeWord, webhookLook } from './webhook-words.ts';
import { WebhookActions } from './WebhookActions.tsx';
import { failureNotice, messageOf } from '../errors.ts';
import { plural, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { isAdminAtom } from '../state/session.ts';
import { useWebhook } from './use-webhook.ts';
import { Button } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { focusPage } from '../ui/focus-on.ts';
import { Notice } from '../ui/Notice.tsx';
import { Missing } from '../ui/Missing.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

const over = <Link href={paths.webhooks}>Webhooks</Link>;

/** Page of one webhook: settings, deliveries and undelivered notices. */
export function WebhookPage({ orgId }: { orgId: string }) {
  const { id = '' } = useParams<{ id: string }>();
  const isAdmin = useAtomValue(isAdminAtom);
  const { resource, tested, onTest } = useWebhook(orgId, id);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, loading, reload } = resource;
  if (!isAdmin) return <AdministratorsOnly instead={paths.users} />;
  const webhook = data?.webhook;
  if (webhook === undefined || data === undefined)
    return (
      <>
        <PageHeader title="Webhook" over={over} />
        {loading && <Skeleton lines={6} label="Loading the webhook" />}
        {error !== null && data === undefined && (
          <ErrorState title="The webhook cannot be shown" message={messageOf(error)} onRetry={reload} />
        )}
        {data !== undefined && (
          <Missing
            icon="bell"
            title="This webhook does not exist."
            way={{ to: paths.webhooks, children: 'Go to the webhooks' }}
          >
            The link may be wrong, or the webhook was deleted.
          </Missing>
        )}
      </>
    );
  return (
    <>
      <PageHeader
        title={webhook.name}
        over={over}
        actions={
          <WebhookActions
            {...{ orgId, webhook, onTest }}
            onSecret={(made) => {
              setSecret(made);
              reload();
            }}
            onChanged={reload}
          />
        }
      />
      {secret !== null && (
        <SecretShown
          secret={secret}
          text="Messages are signed with the one before too, for 24 hours."
          foot={
            <Button
              tone="primary"
              onClick={() => {
                focusPage();
                setSecret(null);
              }}
            >
              Done
            </Button>
          }
        />
      )}
      <LeftOut leftOut={webhook.leftOut} />
      <TestResult tested={tested} />
      <Facts webhook={webhook} />
      <DeadLetters {...{ orgId, webhook }} deadLetters={data.deadLetters} onSent={reload} />
      <Deliveries deliveries={data.deliveries} />
    </>
  );
}

function LeftOut({ leftOut }: Pick<Webhook, 'leftOut'>) {
  if (leftOut === null) return null;
  const { notices, since, last } = leftOut;
  return (
    <Notice tone="danger" title={`${plural(notices, 'notice')} left out: too many waited.`}>
      {'From '}
      <Moment at={since} />
      {' to '}
      <Moment at={last} />
      {'. They are not sent any more; the alerts themselves are in the console.'}
    </Notice>
  );
}

function TestResult({ tested }: { tested: WebhookDelivery | null | undefined }) {
  if (tested === undefined) return null;
  if (tested === null)
    return (
      <Notice tone="info" title="The test is on its way.">
        The answer of the receiver is shown here.
      </Notice>
    );
  return (
    <Notice
      tone={tested.delivered ? 'success' : 'danger'}
      title={tested.delivered ? 'The test was delivered.' : 'The test was not delivered.'}
    >
      {`${[answerWord(tested), timeWord(tested)].filter(Boolean).join(', ')}.`}
    </Notice>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { url, shape, rules, waiting, lastAttempt, createdBy, creationDate } = webhook;
  const { previousSecretValidUntil } = webhook;
  return (
    <section className="card" aria-label="Webhook">
      <DescriptionList
        items={[
          ['State', <TokenStateBadge {...webhookLook(webhook)} />],
          ['Receiver', <span className="mono">{url}</span>],
          ['Messages for', wordFor(shapeWord, shape)],
          ['Told by', rules.length === 0 ? 'No rule' : rules.join(', ')],
          ['Waiting', waiting.toLocaleString('en-US')],
          ['Last attempt', lastAttempt === null ? 'Never' : <Moment at={lastAttempt.at} />],
          ...(lastAttempt?.problem ? [['Problem', lastAttempt.problem] as [string, string]] : []),
          [
            'Secret before',
            previousSecretValidUntil === null ? (
              'Not valid'
            ) : (
              <>
                valid until <Deadline at={previousSecretValidUntil} />
              </>
            ),
          ],
          [
            'Made',
            <>
              <Moment at={creationDate} />
              {` by ${createdBy}`}
            </>,
          ],
        ]}
      />
    </section>
  );
}

const notSentAgain = {
  refused: 'Nothing is sent again.',
  unknown: 'It is not known whether they are sent again.',
};

interface DeadLettersProps {
  orgId: string;
  webhook: Webhook;
  deadLetters: WebhookDeadLetter[];
  onSent: () => void;
}

function DeadLetters({ orgId, webhook, deadLetters, onSent }: DeadLettersProps) {
  const [busy, setBusy] = useState(false);
  const sendAgain = async (noticeIds: string[]): Promise<void> => {
    setBusy(true);
    try {
      const { count } = await api().sendAgain(orgId, webhook.id, noticeIds);
      notify({
        tone: 'success',
        title: count === 1 ? 'One notice waits again.' : `${count} notices wait again.`,
      });
    } catch (error) {
      notify(failureNotice(error, notSentAgain));
    }
    setBusy(false);
    onSent();
  };
  const all = deadLetters.slice(0, LIMITS.pageItems).map(({ noticeId }) => noticeId);
  return (
    <section className="card card-flush" aria-labelledby="dead-letters-title">
      <header className="toolbar">
        <h2 id="dead-letters-title" className="grow">
          Dead letters{' '}
          {deadLetters.length > 0 && webhook.deadLetters > deadLetters.length && (
            <span className="muted num">
              The newest {deadLetters.length} of {webhook.deadLetters.toLocaleString('en-US')}
            </span>
          )}
        </h2>
        {all.length > 1 && (
          <Button busy={busy} onClick={() => void sendAgain(all)}>
            {`Send all ${all.length} again`}
          </Button>
        )}
      </header>
      {deadLetters.length === 0 ? (
        <EmptyState icon="inbox" title="There are none.">
          A notice that could not be delivered for three days is listed here.
        </EmptyState>
      ) : (
        <DeadLettersTable deadLetters={deadLetters} busy={busy} onSendAgain={(ids) => void sendAgain(ids)} />
      )}
    </section>
  );
}

function Deliveries({ deliveries }: { deliveries: WebhookDelivery[] }) {
  return (
    <section className="card card-flush" aria-labelledby="deliveries-title">
      <header className="toolbar">
        <h2 id="deliveries-title" className="grow">
          Deliveries
        </h2>
      </header>
      {deliveries.length === 0 ? (
        <EmptyState icon="inbox" title="Nothing was sent yet.">
          Send a test to see what the receiver answers.
        </EmptyState>
      ) : (
        <DeliveriesTable deliveries={deliveries} />
      )}
    </section>
  );
}
