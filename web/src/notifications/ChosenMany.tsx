import { visible } from '@sentinel-node/contracts';
import { Button } from '../ui/Button.tsx';
import { Combobox, type Choice } from '../ui/Combobox.tsx';
import { distinct } from '../ui/distinct.ts';
import { useFocusInside } from '../ui/use-focus-inside.ts';

interface ChosenManyProps {
  label: string;
  /** Text of the empty choice. */
  add: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  most: number;
  onChange: (chosen: readonly string[]) => void;
}

/** Chooses several of many values by typing; each chosen value can be removed. */
export function ChosenMany({ label, add, choices: given, chosen, most, onChange }: ChosenManyProps) {
  const choices = distinct(given);
  const nameOf = (value: string): string => choices.find((one) => one.value === value)?.label ?? value;
  const open = choices.filter(({ value }) => !chosen.includes(value));
  const inside = useFocusInside<HTMLDivElement>();
  return (
    <div className="field" {...inside}>
      <span className="field-label">{label}</span>
      {chosen.length > 0 && (
        <ul className="chosen-many" aria-label={label}>
          {chosen.map((value) => (
            <li key={value}>
              <span className="grow">{visible(nameOf(value))}</span>
              <Button
                small
                aria-label={`Remove ${nameOf(value)}`}
                onClick={() => onChange(chosen.filter((one) => one !== value))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length < most && open.length > 0 && (
        <Combobox
          label={add}
          choices={[{ value: '', label: add }, ...open]}
          value=""
          onChange={(value) => onChange([...chosen, value])}
        />
      )}
    </div>
  );
}
