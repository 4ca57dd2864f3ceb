import { visible } from '@sentinel-node/contracts';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { Icon } from './Icon.tsx';

interface FieldParts {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  error?: string | undefined;
  hint?: string | undefined;
  optional?: boolean | undefined;
  hideLabel?: boolean | undefined;
  children: (parts: FieldParts) => ReactNode;
}

/** Connects a label, an input and its error for assistive technology. */
export function Field({ label, error, hint, optional = false, hideLabel = false, children }: FieldProps) {
  const id = useId();
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className={`field${error ? ' field-invalid' : ''}`}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
        {optional && <span className="field-optional"> optional</span>}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
      })}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="alert" size={14} />
          {error}
        </p>
      )}
    </div>
  );
}

type Shared = Omit<FieldProps, 'children'>;

interface TextInputProps extends Shared, Omit<ComponentProps<'input'>, 'id' | 'children' | 'className'> {
  mono?: boolean;
}

export function TextInput({ label, error, hint, optional, hideLabel, mono, ...input }: TextInputProps) {
  return (
    <Field {...{ label, error, hint, optional, hideLabel }}>
      {(parts) => <input type="text" {...input} {...parts} className={`input${mono ? ' mono' : ''}`} />}
    </Field>
  );
}

interface TextAreaProps extends Shared, Omit<ComponentProps<'textarea'>, 'id' | 'children' | 'className'> {}

export function TextArea({ label, error, hint, optional, hideLabel, ...input }: TextAreaProps) {
  return (
    <Field {...{ label, error, hint, optional, hideLabel }}>
      {(parts) => <textarea rows={3} {...input} {...parts} className="input" />}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

interface SelectProps extends Shared, Omit<ComponentProps<'select'>, 'id' | 'children' | 'className'> {
  options: Option[];
}

export function Select({ label, error, hint, optional, hideLabel, options, ...input }: SelectProps) {
  return (
    <Field {...{ label, error, hint, optional, hideLabel }}>
      {(parts) => (
        <span className="select">
          <select {...input} {...parts} className="input">
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {visible(option.label)}
              </option>
            ))}
          </select>
          <Icon name="chevronDown" size={16} />
        </span>
      )}
    </Field>
  );
}
