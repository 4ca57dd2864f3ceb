import { keysOf, LIMITS, WEBHOOK_SHAPES, type CreateWebhook } from '@sentinel-node/contracts';
import { required } from '../forms/rules.ts';
import { useForm, type Errors } from '../forms/use-form.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';
import { shapeWord } from './webhook-words.ts';

interface Values {
  name: string;
  shape: string;
  url: string;
  routingKey: string;
}

const initial: Values = { name: '', shape: 'cloudevents', url: '', routingKey: '' };

const needsKey = ({ shape }: Values): boolean => shape === 'pagerduty';

const validate = (values: Values): Errors<Values> => ({
  name: required(values.name, 'Name is required'),
  url: urlError(values.url.trim()),
  routingKey: needsKey(values) ? required(values.routingKey, 'Routing key is required') : undefined,
});

function urlError(text: string): string | undefined {
  if (text === '') return 'URL is required';
  return URL.canParse(text) && /^https?:/.test(text)
    ? undefined
    : 'A URL that begins with https:// is required';
}

interface WebhookFormProps {
  busy: boolean;
  onSubmit: (body: CreateWebhook) => void;
}

export function WebhookForm({ busy, onSubmit }: WebhookFormProps) {
  // Not kept when the session ends: the address of a receiver can be a secret.
  const form = useForm(initial, validate);
  const quit = useLeaveGuard(form.dirty && !busy, 'Do you want to quit making a webhook?');
  const submit = form.submit((values) => {
    const { shape } = values;
    if (!isOneOf(WEBHOOK_SHAPES, shape)) return;
    const key = needsKey(values) && { routingKey: values.routingKey.trim() };
    onSubmit({ name: values.name.trim(), shape, url: values.url.trim(), ...key });
  });
  return (
    <form className="card form" noValidate onSubmit={submit}>
      <TextInput
        label="Name"
        hint="Who is told by it; the audit history shows this name."
        maxLength={LIMITS.nameCharacters}
        {...form.text('name')}
      />
      <Select
        label="Messages for"
        options={keysOf(shapeWord).map((value) => ({ value, label: shapeWord[value] }))}
        {...form.text('shape')}
      />
      <TextInput
        label="URL"
        hint="Where messages are sent, by https."
        inputMode="url"
        autoComplete="off"
        maxLength={LIMITS.webhookUrlCharacters}
        mono
        {...form.text('url')}
      />
      {needsKey(form.values) && (
        <TextInput
          label="Routing key"
          hint="Of the integration in PagerDuty."
          autoComplete="off"
          mono
          {...form.text('routingKey')}
        />
      )}
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.webhooks)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          Make the webhook
        </Button>
      </footer>
      {quit}
    </form>
  );
}
