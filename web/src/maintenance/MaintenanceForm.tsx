import { keysOf, LIMITS, WEEKDAYS } from '@sentinel-node/contracts';
import {
  LAST_MOMENT,
  maintenanceErrors,
  newMaintenance,
  type MaintenanceValues,
} from '../forms/maintenance-values.ts';
import { useForm, type Form } from '../forms/use-form.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { zoneName } from '../time-zone.ts';
import { Button } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Field, Select, TextArea, TextInput } from '../ui/Field.tsx';
import { dayWord } from '../components/maintenance-words.ts';
import { ScopeFields } from '../components/ScopeFields.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

const WHEN = { NOW: 'Now, for some hours', PLANNED: 'Once, later', WEEKLY: 'Each week' };

interface MaintenanceFormProps {
  orgId: string;
  busy: boolean;
  onSubmit: (values: MaintenanceValues) => void;
}

export function MaintenanceForm({ orgId, busy, onSubmit }: MaintenanceFormProps) {
  const form = useForm(newMaintenance, maintenanceErrors, 'maintenance');
  const quit = useLeaveGuard(form.dirty && !busy, 'Do you want to quit making a window?');
  return (
    <form className="card form" noValidate onSubmit={form.submit(onSubmit)}>
      <TextArea
        label="Reason"
        hint="It stands beside every alert of the window, and in the history of the devices."
        maxLength={LIMITS.descriptionCharacters}
        {...form.text('reason')}
      />
      <Select
        label="When"
        options={keysOf(WHEN).map((value) => ({ value, label: WHEN[value] }))}
        {...form.text('when')}
      />
      <Times form={form} />
      <ScopeFields orgId={orgId} form={form} />
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.maintenance)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          Make the window
        </Button>
      </footer>
      {quit}
    </form>
  );
}

function Times({ form }: { form: Form<MaintenanceValues> }) {
  const { when, days } = form.values;
  const zone = `In ${zoneName()}; at most ${LIMITS.windowDaysMax} days after the start.`;
  if (when === 'NOW') return <TextInput label="Hours" type="number" min={1} {...form.text('hours')} />;
  if (when === 'PLANNED')
    return (
      <div className="two-columns">
        <TextInput label="Start" type="datetime-local" max={LAST_MOMENT} {...form.text('start')} />
        <TextInput label="End" type="datetime-local" max={LAST_MOMENT} hint={zone} {...form.text('end')} />
      </div>
    );
  return (
    <>
      <Field label="Days" error={form.errors.days}>
        {(parts) => (
          <div className="row weekdays" {...parts} role="group" aria-label="Days">
            {WEEKDAYS.map((day) => (
              <Checkbox
                key={day}
                label={dayWord[day]}
                checked={days.includes(day)}
                onChange={(on) => form.set('days', on ? [...days, day] : days.filter((one) => one !== day))}
              />
            ))}
          </div>
        )}
      </Field>
      <div className="two-columns">
        <TextInput label="From" type="time" {...form.text('from')} />
        <TextInput
          label="Minutes"
          type="number"
          min={1}
          max={LIMITS.weeklyMinutesMax}
          {...form.text('minutes')}
        />
      </div>
      <TextInput label="Until" type="datetime-local" max={LAST_MOMENT} hint={zone} {...form.text('end')} />
    </>
  );
}
