import { AdministratorsOnly } from '../components/AdministratorsOnly.tsx';
import type { NotificationRuleFields, NotificationRule } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { isCode, mayBeDone } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { saveOver } from '../api/save-over.ts';
import { ChangedMeanwhile } from '../components/ChangedMeanwhile.tsx';
import { MakingFailure } from '../components/MakingFailure.tsx';
import { isRuleSaved, newRule } from './notification-rule-values.ts';
import { NotificationRuleForm, type RuleChoices } from './NotificationRuleForm.tsx';
import { failureNotice, messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm, tellElsewhere } from '../state/guard.ts';
import type { NoticeText } from '../state/notices.ts';
import { isAdminAtom } from '../state/session.ts';
import { useEdited } from '../state/use-edited.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { Missing } from '../ui/Missing.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

interface Loaded extends RuleChoices {
  readonly rule: NotificationRuleFields;
  /** undefined for a new rule. */
  readonly tag: string | undefined;
}

async function load(orgId: string, id: string | undefined, signal?: AbortSignal): Promise<Loaded> {
  const [{ users }, { devices }, { webhooks }, found] = await Promise.all([
    api().getUsers(orgId, signal),
    api().getDevices(orgId, signal),
    api().getWebhooks(orgId, signal),
    id === undefined ? undefined : api().getNotificationRule(orgId, id, signal),
  ]);
  const rule = found === undefined ? newRule() : withoutDeleted(found, users, webhooks);
  return { users, devices, webhooks, rule, tag: found && tagOf(found) };
}

/** Returns the rule without deleted users and webhooks, with which the server would refuse it. */
function withoutDeleted(
  rule: NotificationRule,
  users: RuleChoices['users'],
  webhooks: RuleChoices['webhooks'],
): NotificationRule {
  const { to } = rule;
  const isIn = (those: readonly { readonly id: string }[]) => (id: string) =>
    those.some((one) => one.id === id);
  return {
    ...rule,
    to: {
      ...to,
      userIds: to.userIds.filter(isIn(users)),
      webhookIds: to.webhookIds.filter(isIn(webhooks)),
    },
  };
}

/** Page of a new rule, or of the rule that the URL names. */
export function NotificationRulePage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id?: string }>();
  const isAdmin = useAtomValue(isAdminAtom);
  const { loading, data, error, reload } = useResource<Loaded>({
    key: `notification rule ${orgId} ${id ?? 'new'}`,
    load: (signal) => load(orgId, id, signal),
  });
  const isGone = isCode(error, 'NOT_FOUND');
  if (!isAdmin) return <AdministratorsOnly instead={paths.notifications} />;
  return (
    <div className="narrow">
      <PageHeader
        title={id === undefined ? 'Making a rule' : 'Changing a rule'}
        over={<Link href={paths.notifications}>Notifications</Link>}
      />
      {loading && <Skeleton lines={8} label="Loading the rule" />}
      {data === undefined && error !== null && !isGone && (
        <ErrorState title="The rule cannot be shown" message={messageOf(error)} onRetry={reload} />
      )}
      {isGone && (
        <Missing
          title="There is no such rule."
          way={{ to: paths.notifications, children: 'Go to the notifications' }}
        >
          The link may be wrong, or the rule was deleted.
        </Missing>
      )}
      {data !== undefined && <Editor key={id ?? 'new'} orgId={orgId} id={id} read={data} />}
    </div>
  );
}

const failures = {
  refused: 'The rule was not saved.',
  unknown: 'It is not known whether the rule was saved.',
};

interface EditorProps {
  orgId: string;
  id: string | undefined;
  /** The rule as it was first read. */
  read: Loaded;
}

/** Shows the form of a rule, and saves it only over the state that the form began with. */
function Editor({ orgId, id, read }: EditorProps) {
  const isShown = useIsShown();
  const edited = useEdited(read, () => load(orgId, id));
  const { held, progress, setProgress, isLost } = edited;
  const [failure, setFailure] = useState<NoticeText | null>(null);
  const submit = async (body: NotificationRuleFields): Promise<void> => {
    setProgress('busy');
    setFailure(null);
    try {
      if (id === undefined) await api().addNotificationRule(orgId, body);
      else
        await saveOver(
          () => api().updateNotificationRule(orgId, id, body, held.tag),
          async () => isRuleSaved(body, await api().getNotificationRule(orgId, id)),
        );
      leaveForm(isShown(), paths.notifications, null, { tone: 'success', title: 'The rule is saved.' });
    } catch (error) {
      if (!isShown()) return tellElsewhere(failureNotice(error, failures));
      if (isCode(error, 'STALE')) return setProgress('stale');
      if (mayBeDone(error)) edited.setLost(true);
      setFailure(failureNotice(error, failures));
      setProgress('idle');
    }
  };
  return (
    <>
      <NotificationRuleForm
        rule={held.rule}
        choices={held}
        submitText={id === undefined ? 'Make the rule' : 'Save the rule'}
        busy={progress === 'busy'}
        onSubmit={(body) => void submit(body)}
      />
      {progress === 'stale' && <ChangedMeanwhile what="rule" isLost={isLost} load={edited.load} />}
      {failure !== null && <MakingFailure {...failure} />}
    </>
  );
}
