import { LIMITS, type Category, type Readable } from '@sentinel-node/contracts';
import { LABEL_LINES, labelsError } from '../forms/labels.ts';
import { intervalError, required } from '../forms/rules.ts';
import { useForm, type Errors, type ListTexts } from '../forms/use-form.ts';
import { categoryWord, typedEvery, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { useMissing } from '../state/use-missing.ts';
import { useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Field, Select, TextArea, TextInput } from '../ui/Field.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

export interface DeviceValues {
  name: string;
  description: string;
  path: string;
  healthInterval: string;
  category: string;
  /** The labels' text. */
  labels: string;
  monitoring: boolean;
  disabledNote: string;
}

const deviceLists: ListTexts<DeviceValues> = { labels: LABEL_LINES };

interface DeviceFormProps {
  /** Other values when a newer state was read: what the person changed is kept. */
  initial: DeviceValues;
  edit: boolean;
  busy: boolean;
  onSubmit: (values: DeviceValues) => void;
}

const INTERVAL = 'Positive interval number equal or higher than ten is required';

const validator =
  (edit: boolean) =>
  (values: DeviceValues): Errors<DeviceValues> => ({
    name: required(values.name, 'Device name is required'),
    path: required(values.path, 'Device path is required'),
    healthInterval: intervalError(
      values.healthInterval,
      LIMITS.healthIntervalSecondsMin,
      LIMITS.healthIntervalSecondsMax,
      INTERVAL,
    ),
    category: required(values.category, 'Device category is required'),
    labels: labelsError(values.labels, LIMITS.labelsPerDevice),
    disabledNote:
      edit && !values.monitoring ? required(values.disabledNote, 'Disabled note is required') : undefined,
  });

/**
 * Returns the field of the offered categories: Mission critical, and the device's own when it has another one. Says why they
 * are missing.
 */
export function useCategories(held: string) {
  const intervals = useResource<{ type: Readable<Category>; interval: number }[]>({
    key: 'category intervals',
    load: (signal) => api().getCategoryIntervals(signal),
  });
  const hint = useMissing(intervals, 'The categories');
  const offered = (intervals.data ?? []).filter(({ type }) => type === 'MISSION_CRITICAL' || type === held);
  const options = [
    { value: '', label: 'Choose a category' },
    ...offered.map(({ type, interval }) => ({
      value: type,
      label: `${wordFor(categoryWord, type)} [${interval} sec.]`,
    })),
  ];
  return { options, hint };
}

/** Name under which the form's unsaved values are kept. */
export const DEVICE_FORM = 'device';

export function DeviceForm({ initial, edit, busy, onSubmit }: DeviceFormProps) {
  const form = useForm(initial, validator(edit), DEVICE_FORM, deviceLists);
  if (form.base !== initial) form.rebase(initial);
  const categories = useCategories(initial.category);
  const quit = useLeaveGuard(
    form.dirty && !busy,
    `Do you want to quit device ${edit ? 'editing' : 'adding'}?`,
  );
  return (
    <form className="card form" noValidate onSubmit={form.submit(onSubmit)}>
      <TextInput label="Device name" maxLength={LIMITS.nameCharacters} {...form.text('name')} />
      <TextArea
        label="Description"
        optional
        maxLength={LIMITS.descriptionCharacters}
        {...form.text('description')}
      />
      <TextInput
        label="Device path"
        hint="Working directory of the agent; relative paths of files start here."
        mono
        maxLength={LIMITS.pathCharacters}
        {...form.text('path')}
      />
      <div className="two-columns">
        <TextInput
          label="Health interval (seconds)"
          type="number"
          min={LIMITS.healthIntervalSecondsMin}
          hint={typedEvery(form.values.healthInterval)}
          {...form.text('healthInterval')}
        />
        <Select label="Device category" {...categories} {...form.text('category')} />
      </div>
      <TextArea
        label="Labels"
        optional
        hint="One a line, as site:graz. Filters, maintenance windows and lists of expected changes take them."
        {...form.text('labels')}
      />
      <Field label="Monitoring">
        {() => (
          <Toggle
            label="Monitoring"
            checked={form.values.monitoring}
            words={{ on: 'On', off: 'Off' }}
            onChange={(on) => form.set('monitoring', on)}
          />
        )}
      </Field>
      {edit && !form.values.monitoring && (
        <TextArea label="Disabled note" maxLength={LIMITS.noteCharacters} {...form.text('disabledNote')} />
      )}
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.devices)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          {edit ? 'Save changes' : 'Add device'}
        </Button>
      </footer>
      {quit}
    </form>
  );
}
