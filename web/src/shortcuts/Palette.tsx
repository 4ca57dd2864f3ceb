import { visible } from '@sentinel-node/contracts';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { capitalised, plural } from '../format.ts';
import { Keys } from '../keys/Keys.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { matchingItems, type FoundGroup, type PaletteItem } from './palette-items.ts';
import type { PaletteState } from './use-palette-data.ts';
import { usePaletteItems } from './use-palette-items.ts';

/** Finds pages, devices, files and actions (WAI-ARIA combobox with a list): arrows select, Enter opens. */
export function Palette({ orgId, onClose }: { orgId: string; onClose: () => void }) {
  const id = useId();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const { dialogProps, close } = useDialog(onClose);
  const { items, state } = usePaletteItems(orgId, query);
  const found = matchingItems(items, query);
  const shown = found.flatMap((group) => group.shown);
  const current = Math.min(chosen, shown.length - 1);
  const choose = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    // Close the palette first, so that the next dialog later returns the focus to the original element.
    flushSync(onClose);
    item.run();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const to = nextOf(event.key, current, shown.length);
    if (to !== null) setChosen(to);
    else if (event.key === 'Enter') choose(shown[current]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog {...dialogProps} className="palette" aria-label="Find and go">
      <div className="palette-search">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Find a page, device, file or action"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current < 0 ? undefined : `${id}-${current}`}
          aria-autocomplete="list"
          placeholder="Find pages, devices, files"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={query}
          onChange={({ target }) => {
            setQuery(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="text-button" onClick={close}>
          Close
        </button>
      </div>
      <div role="listbox" id={`${id}-list`} aria-label="Found" className="palette-list" tabIndex={-1}>
        {found.map((group) => (
          <Group
            key={group.group}
            found={group}
            items={shown}
            idOf={(index) => `${id}-${index}`}
            current={current}
            onChoose={choose}
          />
        ))}
      </div>
      <p className="palette-foot muted" role="status">
        {footOf(state, shown.length === 0)}
      </p>
    </dialog>
  );
}

/** Says what is found; never that there is nothing before all was looked at. */
function footOf({ failure, reading, unread, passedOver }: PaletteState, isEmpty: boolean): string {
  if (failure !== null) return `Devices could not be read. ${failure}`;
  if (isEmpty && reading !== null) return `${capitalised(reading)} are being read.`;
  if (unread.length > 0) return `Files of ${unread.join(', ')} could not be read.`;
  if (isEmpty && passedOver > 0)
    return `Files of ${plural(passedOver, 'device')} were not looked at: name one device.`;
  return isEmpty
    ? 'Nothing found. Files are found by the name of their device with a word of their own.'
    : "A device's name, and a word of the file, finds its files.";
}

function nextOf(key: string, current: number, count: number): number | null {
  if (count === 0) return null;
  const moves: Record<string, number> = {
    ArrowDown: (current + 1) % count,
    ArrowUp: (current - 1 + count) % count,
    PageDown: Math.min(count - 1, current + 8),
    PageUp: Math.max(0, current - 8),
  };
  return moves[key] ?? null;
}

interface GroupProps {
  found: FoundGroup;
  /** Items of all groups; an item's index counts over all groups. */
  items: readonly PaletteItem[];
  idOf: (index: number) => string;
  current: number;
  onChoose: (item: PaletteItem) => void;
}

function Group({ found: { group, shown, count }, items, idOf, current, onChoose }: GroupProps) {
  const label = useId();
  return (
    <div role="group" aria-labelledby={label}>
      <div id={label} className="palette-group" role="presentation">
        {group}
        {count > shown.length && `, ${shown.length} of ${count.toLocaleString('en-US')}`}
      </div>
      {items.map(
        (item, index) =>
          item.group === group && (
            <div
              key={item.id}
              id={idOf(index)}
              role="option"
              aria-selected={index === current}
              className="palette-item"
              ref={index === current ? intoView : undefined}
              onClick={() => onChoose(item)}
            >
              <Icon name={item.icon} size={16} />
              <span className="palette-text truncate">
                {visible(item.text)}
                {item.detail && <span className="muted"> {visible(item.detail)}</span>}
              </span>
              {item.keys && <Keys keys={item.keys} />}
            </div>
          ),
      )}
    </div>
  );
}

const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
