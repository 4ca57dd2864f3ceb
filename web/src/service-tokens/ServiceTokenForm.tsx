import { keysOf, LIMITS, ROLES, type CreateServiceToken } from '@sentinel-node/contracts';
import { roleWord, wordFor } from '../format.ts';
import { labelsOf } from '../forms/labels.ts';
import { newScope, scopeErrors, type ScopeValues } from '../forms/maintenance-values.ts';
import { atLeast, required } from '../forms/rules.ts';
import { useForm, type Errors } from '../forms/use-form.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import { ScopeFields, type ScopeWords } from '../components/ScopeFields.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

const ALLOWED = { read: 'Reading only', write: 'Reading and changing' };

const limitWords: ScopeWords = {
  label: 'Limited to',
  options: [
    { value: 'EVERYTHING', label: 'The whole organization' },
    { value: 'DEVICES', label: 'Some devices' },
    { value: 'LABELS', label: 'Devices with a label' },
  ],
  labelsHint:
    'One a line, as site:graz. The token reaches the devices that have one of them at the time of a call.',
};

interface Values extends ScopeValues {
  name: string;
  role: string;
  allowed: string;
  days: string;
}

const initial: Values = {
  ...newScope,
  covers: 'EVERYTHING',
  name: '',
  role: 'REGULAR',
  allowed: 'read',
  days: String(LIMITS.serviceTokenDaysDefault),
};

const { serviceTokenDaysMax } = LIMITS;

const validate = ({ name, role, allowed, days, ...scope }: Values): Errors<Values> => ({
  ...scopeErrors(scope, LIMITS.serviceTokenLabels),
  ...(scope.devices.length > LIMITS.serviceTokenDevices && {
    devices: `At most ${LIMITS.serviceTokenDevices} devices: use a label for more`,
  }),
  name: required(name, 'Name is required'),
  role: required(role, 'Role is required'),
  allowed: required(allowed, 'Say what the token may do'),
  days: atLeast(days, 1, serviceTokenDaysMax, `A number from 1 to ${serviceTokenDaysMax} is required`),
});

function limitsOf({ covers, devices, labels }: ScopeValues): Pick<CreateServiceToken, 'limits'> {
  if (covers === 'EVERYTHING') return {};
  return {
    limits:
      covers === 'LABELS'
        ? { deviceIds: [], labels: labelsOf(labels) }
        : { deviceIds: [...devices], labels: [] },
  };
}

interface ServiceTokenFormProps {
  orgId: string;
  busy: boolean;
  onSubmit: (body: CreateServiceToken) => void;
}

export function ServiceTokenForm({ orgId, busy, onSubmit }: ServiceTokenFormProps) {
  const form = useForm(initial, validate, 'service token');
  const quit = useLeaveGuard(form.dirty && !busy, 'Do you want to quit making a token?');
  const submit = form.submit(({ name, role, allowed, days, ...scope }) => {
    if (!isOneOf(ROLES, role)) return;
    onSubmit({
      name: name.trim(),
      role,
      readOnly: allowed === 'read',
      ...limitsOf(scope),
      expiresInDays: Number(days),
    });
  });
  return (
    <form className="card form" noValidate onSubmit={submit}>
      <TextInput
        label="Name"
        hint="The program that uses the token; the audit history shows this name."
        maxLength={LIMITS.nameCharacters}
        {...form.text('name')}
      />
      <div className="two-columns">
        <Select
          label="Role"
          options={ROLES.map((role) => ({ value: role, label: wordFor(roleWord, role) }))}
          {...form.text('role')}
        />
        <Select
          label="Allowed"
          options={keysOf(ALLOWED).map((value) => ({ value, label: ALLOWED[value] }))}
          {...form.text('allowed')}
        />
      </div>
      <ScopeFields orgId={orgId} form={form} words={limitWords} />
      <TextInput
        label="Ends after (days)"
        type="number"
        min={1}
        max={serviceTokenDaysMax}
        {...form.text('days')}
      />
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.serviceTokens)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          Make the token
        </Button>
      </footer>
      {quit}
    </form>
  );
}
