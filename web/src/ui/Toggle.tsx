import { visible } from '@sentinel-node/contracts';
interface ToggleProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Name of the setting. */
  label: string;
  /** Words for the state, shown beside the switch. */
  words?: { on: string; off: string };
  disabled?: boolean;
}

export function Toggle({ checked, onChange, label, words, disabled = false }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      className="toggle"
      aria-checked={checked}
      aria-label={visible(label)}
      disabled={disabled}
      onClick={(event) => {
        event.stopPropagation();
        onChange(!checked);
      }}
    >
      <span className="toggle-track">
        <span className="toggle-knob" />
      </span>
      {words && <span className="toggle-word">{checked ? words.on : words.off}</span>}
    </button>
  );
}
