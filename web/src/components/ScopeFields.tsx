import { keysOf, visible } from '@sentinel-node/contracts';
import type { DeviceListItem } from '../answers.ts';
import { newScope, type ScopeValues } from '../forms/maintenance-values.ts';
import type { Form } from '../forms/use-form.ts';
import { api } from '../state/api.ts';
import { DEVICES_READING, useMissing } from '../state/use-missing.ts';
import { useResource } from '../state/use-resource.ts';
import { Combobox } from '../ui/Combobox.tsx';
import { Field, Select, TextArea } from '../ui/Field.tsx';
import { IconButton } from '../ui/Button.tsx';
import { distinct } from '../ui/distinct.ts';
import { useFocusInside } from '../ui/use-focus-inside.ts';

export interface ScopeWords {
  readonly label: string;
  readonly options: readonly {
    readonly value: 'DEVICES' | 'LABELS' | 'EVERYTHING';
    readonly label: string;
  }[];
  readonly labelsHint: string;
}

const coveredWords: ScopeWords = {
  label: 'Covers',
  options: [
    { value: 'DEVICES', label: 'Some devices' },
    { value: 'LABELS', label: 'Devices and files with a label' },
    { value: 'EVERYTHING', label: 'All devices' },
  ],
  labelsHint: 'One a line, as site:graz. What has one of them when an alert is raised is covered.',
};

interface ScopeFieldsProps {
  orgId: string;
  form: Pick<Form<ScopeValues>, 'values' | 'errors' | 'set'>;
  /** Absent: of a window, or of a list of expected changes. */
  words?: ScopeWords;
}

/** Devices or labels that something is for. */
export function ScopeFields({
  orgId,
  form: { values, errors, set },
  words = coveredWords,
}: ScopeFieldsProps) {
  const onChange = (part: Partial<ScopeValues>): void => {
    for (const name of keysOf(part)) {
      const value = part[name];
      if (value !== undefined) set(name, value);
    }
  };
  const list = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
  });
  const missing = useMissing(list, 'The devices');
  const inside = useFocusInside<HTMLDivElement>();
  const known = list.data?.devices ?? [];
  const choices = distinct(known.map(({ id, name }) => ({ value: id, label: name })));
  return (
    <>
      <Select
        label={words.label}
        options={[...words.options]}
        value={values.covers}
        onChange={({ target }) => onChange({ ...newScope, covers: target.value })}
      />
      {values.covers === 'DEVICES' && (
        <Field label="Devices" error={errors.devices} hint={missing}>
          {(parts) => (
            <div className="stack stack-tight" {...parts} {...inside} role="group" aria-label="Devices">
              <Combobox
                label="Add a device"
                choices={[
                  { value: '', label: 'Add a device' },
                  ...choices.filter(({ value }) => !values.devices.includes(value)),
                ]}
                value=""
                missing={list.loading ? DEVICES_READING : missing}
                onChange={(id) => id !== '' && onChange({ devices: [...values.devices, id] })}
              />
              <ul className="chosen-list">
                {values.devices.map((id) => {
                  const name = choices.find(({ value }) => value === id)?.label ?? id;
                  return (
                    <li key={id} className="row">
                      <span className="grow">{visible(name)}</span>
                      <IconButton
                        icon="close"
                        label={`Leave out ${name}`}
                        onClick={() => onChange({ devices: values.devices.filter((one) => one !== id) })}
                      />
                    </li>
                  );
                })}
              </ul>
            </div>
          )}
        </Field>
      )}
      {values.covers === 'LABELS' && (
        <TextArea
          label="Labels"
          hint={words.labelsHint}
          error={errors.labels}
          value={values.labels}
          onChange={({ target }) => onChange({ labels: target.value })}
        />
      )}
    </>
  );
}
