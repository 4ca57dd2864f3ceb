import { visible } from '@sentinel-node/contracts';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Keys } from '../keys/Keys.tsx';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  /** Heading over consecutive items with the same group. */
  group?: string;
  /** Whether the item is on, as a switch or as the chosen one of its group. */
  checked?: boolean;
  /** Whether the item is a switch, not one of several choices. */
  isSwitch?: boolean;
  /** Keys of the shortcut for the same action. */
  keys?: readonly string[];
  run: () => void;
}

interface MenuProps {
  /** Name of the menu, for assistive technology. */
  label: string;
  /** Tooltip of the button. */
  title?: string;
  trigger: ReactNode;
  className?: string;
  /** Content above the items, not selectable. */
  head?: ReactNode;
  items: MenuItem[];
}

/** A button with a list of actions (WAI-ARIA menu button pattern): arrows move, Escape closes. */
export function Menu({ label: name, title, trigger, className = 'icon-button', head, items }: MenuProps) {
  const label = visible(name);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    itemsOf(root.current)[0]?.focus();
    const onPointer = ({ target }: PointerEvent): void => {
      if (!(target instanceof Node && root.current?.contains(target))) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="menu"
      ref={root}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => open && onMenuKey(event, root.current, close)}
    >
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        title={title}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </button>
      {open && (
        <div className="menu-list">
          {head}
          <div role="menu" aria-label={label}>
            {grouped(items).map(([group, members]) =>
              group === undefined ? (
                members.map((item) => <Item key={item.label} item={item} onDone={close} />)
              ) : (
                <div key={group} role="group" aria-label={group} className="menu-group">
                  <span className="menu-group-name" aria-hidden="true">
                    {group}
                  </span>
                  {members.map((item) => (
                    <Item key={item.label} item={item} onDone={close} />
                  ))}
                </div>
              ),
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function grouped(items: readonly MenuItem[]): [group: string | undefined, members: MenuItem[]][] {
  const groups: [string | undefined, MenuItem[]][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && last[0] === item.group) last[1].push(item);
    else groups.push([item.group, [item]]);
  }
  return groups;
}

/** A menu item. A choice leaves the menu open, so that its effect is visible and another choice is possible. */
function Item({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  const { checked, danger, icon, isSwitch, keys, label, run } = item;
  const isChoice = checked !== undefined;
  return (
    <button
      type="button"
      role={!isChoice ? 'menuitem' : isSwitch ? 'menuitemcheckbox' : 'menuitemradio'}
      aria-checked={checked}
      tabIndex={-1}
      className={`menu-item${danger ? ' menu-danger' : ''}`}
      onClick={() => {
        if (!isChoice) onDone();
        run();
      }}
    >
      {isChoice ? (
        <span className="menu-check">{checked && <Icon name="check" size={16} />}</span>
      ) : (
        icon && <Icon name={icon} size={16} />
      )}
      <span className="grow">{label}</span>
      {keys && <Keys keys={keys} />}
    </button>
  );
}

const itemsOf = (root: HTMLElement | null): HTMLElement[] =>
  Array.from(root?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []);

function onMenuKey(event: React.KeyboardEvent, root: HTMLElement | null, close: () => void): void {
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.stopPropagation();
    return close();
  }
  const items = itemsOf(root);
  const now = items.findIndex((item) => item === document.activeElement);
  const last = items.length - 1;
  const next: Record<string, number> = {
    ArrowDown: now === last ? 0 : now + 1,
    ArrowUp: now <= 0 ? last : now - 1,
    Home: 0,
    End: last,
  };
  const index = next[event.key];
  if (index === undefined) return;
  event.preventDefault();
  items[index]?.focus();
}
