import { wordFor } from '../format.ts';
import type { NotificationRule } from '../answers.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { tagOf } from '../api/http.ts';
import { overNewest } from '../api/over-newest.ts';
import { failureNotice } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { fieldsOfRule } from './notification-rule-values.ts';
import { gapTexts, paceWord, recipientsText, ruleSummary } from './notification-words.ts';

interface NotificationRulesTableProps {
  orgId: string;
  rules: NotificationRule[];
  onChanged: () => void;
}

const columns: Column<NotificationRule>[] = [
  {
    header: 'Rule',
    cell: ({ id, name, isDefault, changedBy }) => (
      <>
        <Link href={paths.editNotificationRule(id)}>{name}</Link>
        <br />
        <span className="muted">{changedBy === null ? 'by default' : `by ${changedBy}`}</span>
        {isDefault && changedBy !== null && <Badge tone="neutral">Default rule</Badge>}
      </>
    ),
    className: 'cell-text',
  },
  { header: 'Tells', cell: ruleSummary, className: 'cell-text' },
  { header: 'Whom', cell: (rule) => <Whom rule={rule} />, className: 'cell-text' },
  { header: 'When', cell: ({ how, required }) => `${wordFor(paceWord, how)}${required ? ', required' : ''}` },
];

/** Names the recipients, and what the rule cannot tell now: a rule can be on and tell nobody. */
function Whom({ rule }: { rule: NotificationRule }) {
  const { tellsNobody, neverTold } = rule.gaps;
  const isIdle = rule.enabled && (tellsNobody || neverTold.length === rule.when.types.length);
  return (
    <>
      {recipientsText(rule)}
      {isIdle && (
        <>
          {' '}
          <Badge tone="danger" icon="alert">
            {tellsNobody ? 'Tells nobody' : 'Tells nothing'}
          </Badge>
        </>
      )}
      {gapTexts(rule).map((text) => (
        <span key={text}>
          <br />
          <span className="muted">{text}</span>
        </span>
      ))}
    </>
  );
}

const failures = {
  refused: 'The rule was not changed.',
  unknown: 'It is not known whether the rule was changed.',
};

/** Lists the organisation's rules; each can be switched, changed and deleted. */
export function NotificationRulesTable({ orgId, rules, onChanged }: NotificationRulesTableProps) {
  const [deleting, setDeleting] = useState<NotificationRule | null>(null);
  const change = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      notify(failureNotice(error, failures));
    }
    onChanged();
  };
  const remove = async (rule: NotificationRule): Promise<void> => {
    await change(api().deleteNotificationRule(orgId, rule.id));
    setDeleting((asked) => (asked === rule ? null : asked));
  };
  // A PUT has the whole rule, and the list may be behind.
  const switchRule = (id: string, enabled: boolean): Promise<void> =>
    change(
      overNewest(async () => {
        const rule = await api().getNotificationRule(orgId, id);
        await api().updateNotificationRule(orgId, id, { ...fieldsOfRule(rule), enabled }, tagOf(rule));
      }),
    );
  const actions: Column<NotificationRule>[] = [
    {
      header: 'On or off',
      cell: (rule) => (
        <Toggle
          label={`${rule.name} is on`}
          words={{ on: 'On', off: 'Off' }}
          checked={rule.enabled}
          onChange={(enabled) => void switchRule(rule.id, enabled)}
        />
      ),
    },
    {
      header: 'Actions',
      hideHeader: true,
      className: 'cell-actions',
      cell: (rule) => (
        <Button small aria-label={`Delete ${rule.name}`} onClick={() => setDeleting(rule)}>
          Delete
        </Button>
      ),
    },
  ];
  return (
    <>
      <Table label="Rules" rows={rules} columns={[...columns, ...actions]} rowKey={({ id }) => id} paged />
      {deleting !== null && (
        <ConfirmDialog
          title={`Are you sure you want to delete ${deleting.name}?`}
          text="Nobody is told by it any more."
          tone="danger"
          onYes={() => void remove(deleting)}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}
