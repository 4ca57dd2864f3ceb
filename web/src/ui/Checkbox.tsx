import { visible } from '@sentinel-node/contracts';
import { useId } from 'react';

interface CheckboxProps {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox with its label; the whole line is clickable. */
export function Checkbox({ label, hint, checked, onChange }: CheckboxProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="check-line">
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        />
        {visible(label)}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
