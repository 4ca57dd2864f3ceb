import type { NotificationRule, NotificationRuleFields } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { newRule } from '../components/notification-rule-values.ts';
import { NotificationRuleForm, type RuleChoices } from '../components/NotificationRuleForm.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { leaveForm, tellElsewhere } from '../state/guard.ts';
import { isAdminAtom } from '../state/session.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { Notice } from '../ui/Notice.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

interface Loaded extends RuleChoices {
  /** undefined when no rule has this id. */
  readonly rule: NotificationRuleFields | undefined;
}

async function load(orgId: string, id: string | undefined, signal: AbortSignal): Promise<Loaded> {
  const [{ users }, { devices }, { webhooks }, rules] = await Promise.all([
    api().getUsers(orgId, signal),
    api().getDevices(orgId, signal),
    api().getWebhooks(orgId, signal),
    id === undefined ? undefined : api().getNotificationRules(orgId, signal),
  ]);
  const found: NotificationRule | undefined = rules?.rules.find((rule) => rule.id === id);
  const rule = id === undefined ? newRule() : found && withoutDeleted(found, users, webhooks);
  return { users, devices, webhooks, rule };
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
    apply: (held) => held,
  });
  if (!isAdmin) return <Redirect to={paths.notifications} replace />;
  return (
    <div className="narrow">
      <PageHeader
        title={id === undefined ? 'Making a rule' : 'Changing a rule'}
        over={<Link href={paths.notifications}>Notifications</Link>}
      />
      {loading && <Skeleton lines={8} label="Loading the rule" />}
      {data === undefined && error !== null && (
        <ErrorState title="The rule cannot be shown" message={messageOf(error)} onRetry={reload} />
      )}
      {data !== undefined && data.rule === undefined && (
        <EmptyState title="There is no such rule.">It may have been deleted.</EmptyState>
      )}
      {data?.rule !== undefined && <Editor orgId={orgId} id={id} rule={data.rule} choices={data} />}
    </div>
  );
}

const NOT_SAVED = 'The rule was not saved.';

interface EditorProps {
  orgId: string;
  id: string | undefined;
  rule: NotificationRuleFields;
  choices: RuleChoices;
}

function Editor({ orgId, id, rule, choices }: EditorProps) {
  const isShown = useIsShown();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (body: NotificationRuleFields): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      if (id === undefined) await api().addNotificationRule(orgId, body);
      else await api().updateNotificationRule(orgId, id, body);
      leaveForm(isShown(), paths.notifications, null, { tone: 'success', title: 'The rule is saved.' });
    } catch (error) {
      if (!isShown()) return tellElsewhere({ tone: 'danger', title: NOT_SAVED, text: messageOf(error) });
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <>
      <NotificationRuleForm
        rule={rule}
        choices={choices}
        submitText={id === undefined ? 'Make the rule' : 'Save the rule'}
        busy={busy}
        onSubmit={(body) => void submit(body)}
      />
      {failure !== null && (
        <Notice tone="danger" title={NOT_SAVED}>
          {failure}
        </Notice>
      )}
    </>
  );
}
