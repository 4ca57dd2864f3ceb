import {
  ALERT_TYPES,
  CATEGORIES,
  keysOf,
  LIMITS,
  noticeWord,
  offeredNotices,
} from '@sentinel-node/contracts';
import type { NotificationRuleFields, DeviceListItem, User, Webhook } from '../answers.ts';
import { useMemo } from 'react';
import { useForm, type Form } from '../forms/use-form.ts';
import { alertName, categoryWord, shownTimeOfDay } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Select, TextArea, TextInput } from '../ui/Field.tsx';
import { CheckList } from './CheckList.tsx';
import { ChosenMany } from './ChosenMany.tsx';
import {
  ruleErrors,
  ruleFields,
  ruleLists,
  ruleValues,
  type RuleValues,
} from './notification-rule-values.ts';
import { paceWord, severityWord } from './notification-words.ts';
import { QuietHoursFields } from './QuietHoursFields.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

export interface RuleChoices {
  readonly devices: readonly Pick<DeviceListItem, 'id' | 'name'>[];
  readonly users: readonly Pick<User, 'id' | 'name' | 'emailAddress'>[];
  readonly webhooks: readonly Pick<Webhook, 'id' | 'name'>[];
}

interface NotificationRuleFormProps {
  rule: NotificationRuleFields;
  choices: RuleChoices;
  submitText: string;
  busy: boolean;
  onSubmit: (body: NotificationRuleFields) => void;
}

const optionsOf = <K extends string>(words: Readonly<Record<K, string>>) =>
  keysOf(words).map((value) => ({ value, label: words[value] }));
const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: shownTimeOfDay(`${hour}:00`),
}));

export function NotificationRuleForm({
  rule,
  choices,
  submitText,
  busy,
  onSubmit,
}: NotificationRuleFormProps) {
  const initial = useMemo(() => ruleValues(rule), [rule]);
  const form = useForm(initial, ruleErrors, 'notification rule', ruleLists);
  if (form.base !== initial) form.rebase(initial);
  const quit = useLeaveGuard(form.dirty && !busy, 'Do you want to quit this rule?');
  const submit = form.submit((values) => onSubmit(ruleFields(values, rule)));
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <WhatFields form={form} choices={choices} fileIds={rule.when.fileIds.length} />
      <WhomFields form={form} choices={choices} />
      <HowFields form={form} />
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.notifications)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          {submitText}
        </Button>
      </footer>
      {quit}
    </form>
  );
}

interface FieldsProps {
  form: Form<RuleValues>;
}

function WhatFields({ form, choices, fileIds }: FieldsProps & { choices: RuleChoices; fileIds: number }) {
  const { values, errors, set } = form;
  return (
    <fieldset className="card file-group">
      <legend className="visually-hidden">What is told</legend>
      <TextInput
        label="Name"
        hint="Mails name the rule that they come by."
        maxLength={LIMITS.nameCharacters}
        {...form.text('name')}
      />
      <CheckList
        label="What is told"
        error={errors.types}
        choices={offeredNotices.map((value) => ({ value, label: noticeWord[value] }))}
        chosen={values.types}
        onChange={(types) => set('types', types)}
      />
      <Select label="Severity" options={optionsOf(severityWord)} {...form.text('severity')} />
      <CheckList
        label="Categories"
        hint="None: all."
        choices={CATEGORIES.map((value) => ({ value, label: categoryWord[value] }))}
        chosen={values.categories}
        onChange={(categories) => set('categories', categories)}
      />
      <CheckList
        label="Types of alerts"
        hint="None: all."
        choices={ALERT_TYPES.map((value) => ({ value, label: alertName[value] }))}
        chosen={values.alertTypes}
        onChange={(alertTypes) => set('alertTypes', alertTypes)}
      />
      <ChosenMany
        label={fileIds === 0 ? 'Devices' : `Devices, beside ${fileIds} files that a program named`}
        add="Add a device (none: all)"
        choices={choices.devices.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={values.deviceIds}
        most={LIMITS.notificationSubjects}
        onChange={(deviceIds) => set('deviceIds', deviceIds)}
      />
      <TextArea
        label="Labels"
        optional
        hint="One a line, as site:graz. Devices and files that have one of them, beside the devices above; none: all."
        {...form.text('labels')}
      />
    </fieldset>
  );
}

function WhomFields({ form, choices }: FieldsProps & { choices: RuleChoices }) {
  const { values, errors, set } = form;
  return (
    <fieldset className="card file-group">
      <legend className="visually-hidden">Who is told</legend>
      <header className="card-head">
        <h2 aria-hidden="true">Who is told</h2>
      </header>
      <CheckList
        label="Groups"
        error={errors.administrators}
        choices={[{ value: 'administrators', label: 'Administrators' }]}
        chosen={values.administrators ? ['administrators'] : []}
        onChange={(chosen) => set('administrators', chosen.length > 0)}
      />
      <ChosenMany
        label="People"
        add="Add a person"
        choices={choices.users.map(({ id, name, emailAddress }) => ({
          value: id,
          label: `${name}, ${emailAddress}`,
        }))}
        chosen={values.userIds}
        most={LIMITS.notificationRecipients}
        onChange={(userIds) => set('userIds', userIds)}
      />
      {choices.webhooks.length > 0 && (
        <CheckList
          label="Webhooks"
          hint="They are told at once, also in quiet hours."
          choices={choices.webhooks.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={values.webhookIds}
          onChange={(webhookIds) => set('webhookIds', webhookIds)}
        />
      )}
      <TextArea label="Other mail addresses" optional hint="One a line." {...form.text('addresses')} />
      <Checkbox
        label="Required"
        hint="People of the organization cannot switch these mails off; other mail addresses always can."
        checked={values.required}
        onChange={(on) => set('required', on)}
      />
    </fieldset>
  );
}

function HowFields({ form }: FieldsProps) {
  const { values, set } = form;
  return (
    <fieldset className="card file-group">
      <legend className="visually-hidden">When mails come</legend>
      <header className="card-head">
        <h2 aria-hidden="true">When mails come</h2>
      </header>
      <div className="two-columns">
        <Select label="Mails come" options={optionsOf(paceWord)} {...form.text('how')} />
        {values.how === 'DAILY' && <Select label="At" options={hours} {...form.text('dailyHour')} />}
      </div>
      <QuietHoursFields form={form} />
      <Checkbox
        label="Urgent"
        hint="These mails come in quiet hours too, also in those of the people."
        checked={values.urgent}
        onChange={(on) => set('urgent', on)}
      />
    </fieldset>
  );
}
