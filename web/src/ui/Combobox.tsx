import { visible } from '@sentinel-node/contracts';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { Icon } from './Icon.tsx';

export interface Choice {
  value: string;
  label: string;
  /** Number of matches, shown beside the label. */
  count?: number | undefined;
}

interface ComboboxProps {
  label: string;
  /** The choices; an empty value chooses the first. */
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
  /** Why values are missing among the choices, as while they are being read: then nothing is said of what matches. */
  missing?: string | undefined;
}

/** Most listed choices; typing finds the others. */
const LISTED_MAX = 50;

/** Chooses one of many values by typing (WAI-ARIA combobox with a list): arrows move, Enter chooses, Escape closes. */
export function Combobox({ label, choices, value, onChange, missing }: ComboboxProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const isOpen = text !== null;
  const found = matching(choices, text ?? '');
  const listed = found.slice(0, LISTED_MAX);
  const chosen = visible(choices.find((choice) => choice.value === value)?.label ?? value);
  const open = (): void => {
    setText('');
    setActive(
      Math.max(
        0,
        choices.slice(0, LISTED_MAX).findIndex((choice) => choice.value === value),
      ),
    );
  };
  const choose = (choice: Choice | undefined): void => {
    setText(null);
    if (choice !== undefined && choice.value !== value) onChange(choice.value);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      // Otherwise the browser closes the dialog around it, too.
      event.preventDefault();
      return setText(null);
    }
    if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      return choose(listed[active]);
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    if (!isOpen) return open();
    const step = event.key === 'ArrowDown' ? 1 : listed.length - 1;
    setActive((active + step) % Math.max(1, listed.length));
  };
  return (
    <div
      className="combobox"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setText(null);
      }}
    >
      <input
        ref={input}
        className="input"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && listed.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        maxLength={200}
        placeholder={chosen}
        // Long words are cut; the open list shows them whole.
        title={isOpen ? undefined : chosen}
        value={text ?? chosen}
        // Select the text, so that typing replaces the choice.
        onFocus={(event) => event.target.select()}
        onClick={() => !isOpen && open()}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <Icon name="chevronDown" size={16} />
      <div className="combobox-list" data-open={isOpen || undefined}>
        {isOpen && (
          <ul role="listbox" id={id} aria-label={label}>
            {listed.map((choice, index) => (
              <li
                key={choice.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={choice.value === value}
                data-active={index === active || undefined}
                ref={index === active ? intoView : undefined}
                // Keep the focus in the input, so that the list stays open until the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(choice)}
              >
                <span className="grow">{visible(choice.label)}</span>
                {choice.count !== undefined && (
                  <span className="muted num">{choice.count.toLocaleString('en-US')}</span>
                )}
              </li>
            ))}
          </ul>
        )}
        {/* Always there: a screen reader may miss a status that comes with its words. */}
        <div role="status">
          {isOpen && found.length === 0 && missing === undefined && <p className="muted">Nothing matches.</p>}
          {isOpen && found.length > listed.length && (
            <p className="muted">{`${(found.length - listed.length).toLocaleString('en-US')} more: type to find them.`}</p>
          )}
          {isOpen && missing !== undefined && <p className="muted">{missing}</p>}
        </div>
      </div>
    </div>
  );
}

/** The focus stays in the input, so that the browser does not scroll to the option itself. */
const intoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' });

function matching(choices: readonly Choice[], text: string): readonly Choice[] {
  const needle = text.trim().toLowerCase();
  if (needle === '') return choices;
  return choices.filter(({ label, value }) => value !== '' && label.toLowerCase().includes(needle));
}
