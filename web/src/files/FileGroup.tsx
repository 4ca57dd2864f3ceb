import { LIMITS } from '@sentinel-node/contracts';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { typedEvery } from '../format.ts';
import { fileErrors, type FileDraft, type FileValues } from '../forms/file-values.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Field, Select, TextInput } from '../ui/Field.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { answers, frequencies, optionsWith, types } from './file-options.ts';

interface FileGroupProps {
  draft: FileDraft;
  title: string;
  /** Null for the only file. */
  onDelete: (() => void) | null;
  /** Null when files cannot be added. */
  onDuplicate: (() => void) | null;
  onChange: (draft: FileDraft) => void;
}

const groupsIn = (form: HTMLFormElement | null): HTMLElement[] => [
  ...(form?.querySelectorAll<HTMLElement>('fieldset[data-file]') ?? []),
];

/** Adds a group of a file to the form of a button, and moves the focus to it, past the fields that were there. */
export function addGroup(form: HTMLFormElement | null, add: () => void): void {
  flushSync(add);
  groupsIn(form).at(-1)?.focus();
}

/** Deletes a group, and moves the focus to the one in its place, or to the button that adds one: the button that was pressed is gone. */
function deleteGroup(button: HTMLButtonElement, onDelete: () => void): void {
  const { form } = button;
  const at = groupsIn(form).findIndex((group) => group.contains(button));
  flushSync(onDelete);
  const left = groupsIn(form);
  (left[at] ?? left.at(-1) ?? form?.querySelector<HTMLElement>('.add-another'))?.focus();
}

type TextName = Exclude<keyof FileValues, 'monitoringEnabled' | 'watchAttributes'>;

/** Shows the fields of one file. */
export function FileGroup({ draft, title, onDelete, onDuplicate, onChange }: FileGroupProps) {
  const { values, touched } = draft;
  const [first] = useState(values);
  const errors = fileErrors(values);
  const touch = (name: keyof FileValues): ReadonlySet<keyof FileValues> => new Set(touched).add(name);
  const field = (name: TextName) => ({
    value: values[name],
    error: touched.has(name) ? errors[name] : undefined,
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...draft, values: { ...values, [name]: event.target.value }, touched: touch(name) }),
    onBlur: () => onChange({ ...draft, touched: touch(name) }),
  });
  return (
    <fieldset className="card file-group" data-file tabIndex={-1}>
      <legend className="visually-hidden">{title}</legend>
      <header className="card-head">
        <h2 aria-hidden="true">{title}</h2>
        <span className="row">
          {onDuplicate !== null && (
            <button
              type="button"
              className="text-button"
              onClick={({ currentTarget }) => addGroup(currentTarget.form, onDuplicate)}
            >
              Same settings +<span className="visually-hidden"> as {title}</span>
            </button>
          )}
          {onDelete !== null && (
            <button
              type="button"
              className="text-button danger-text"
              aria-label={`Delete ${title}`}
              onClick={({ currentTarget }) => deleteGroup(currentTarget, onDelete)}
            >
              Delete -
            </button>
          )}
        </span>
      </header>
      <div className="two-columns">
        <TextInput label="File name" maxLength={LIMITS.nameCharacters} {...field('fileName')} />
        <Select
          label="File type"
          options={optionsWith(types, first.fileType, values.fileType)}
          {...field('fileType')}
        />
      </div>
      <TextInput label="File path" mono maxLength={LIMITS.pathCharacters} {...field('filePath')} />
      <TextInput
        label="Description"
        optional
        maxLength={LIMITS.descriptionCharacters}
        {...field('fileDescription')}
      />
      <TextInput
        label="Labels"
        optional
        hint="As team:web, several with commas between them."
        {...field('fileLabels')}
      />
      <div className="two-columns">
        <Select
          label="Monitoring frequency"
          hint="Continuous is for files that only grow, such as logs."
          options={optionsWith(frequencies, first.monitoringFrequency, values.monitoringFrequency)}
          {...field('monitoringFrequency')}
        />
        {values.monitoringFrequency === 'PROBE' && (
          <TextInput
            label="Interval (seconds)"
            type="number"
            min={LIMITS.fileIntervalSecondsMin}
            hint={typedEvery(values.fileInterval)}
            {...field('fileInterval')}
          />
        )}
      </div>
      <div className="two-columns">
        <Select
          label="Is file editable"
          hint="If not, any change raises an alert."
          options={answers}
          {...field('isFileModifiable')}
        />
        <Select
          label="Is file rolled"
          hint="Yes for logs that are moved to archives."
          options={answers}
          {...field('isFileRolled')}
        />
      </div>
      {values.isFileModifiable === 'no' && (
        <Checkbox
          label="Also watch permissions and owner"
          hint="A change of mode, owner, group, kind of file or link target raises an alert too."
          checked={values.watchAttributes}
          onChange={(watchAttributes) => onChange({ ...draft, values: { ...values, watchAttributes } })}
        />
      )}
      {values.isFileRolled === 'yes' && (
        <TextInput
          label="Filename regexp"
          mono
          hint="Matches the whole name of an archive in the same folder (RE2)."
          maxLength={LIMITS.regexpCharacters}
          {...field('rolledFilenameRegexp')}
        />
      )}
      <Field label="Monitoring">
        {() => (
          <Toggle
            label={`Monitoring of ${title}`}
            checked={values.monitoringEnabled}
            words={{ on: 'On', off: 'Off' }}
            onChange={(monitoringEnabled) => onChange({ ...draft, values: { ...values, monitoringEnabled } })}
          />
        )}
      </Field>
    </fieldset>
  );
}
