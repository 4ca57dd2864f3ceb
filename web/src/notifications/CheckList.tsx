import { useId } from 'react';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Icon } from '../ui/Icon.tsx';

interface CheckListProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  choices: readonly { readonly value: string; readonly label: string }[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Chooses several of a few values by checkboxes. */
export function CheckList({ label, hint, error, choices, chosen, onChange }: CheckListProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <fieldset className="check-list" {...(described !== '' && { 'aria-describedby': described })}>
      <legend className="field-label">{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      <div className="check-grid">
        {choices.map(({ value, label: text }) => (
          <Checkbox
            key={value}
            label={text}
            checked={chosen.includes(value)}
            onChange={(on) => onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value))}
          />
        ))}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="alert" size={14} />
          {error}
        </p>
      )}
    </fieldset>
  );
}
