import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  run: () => void;
}

interface MenuProps {
  /** What the menu is about, for assistive technology. */
  label: string;
  trigger: ReactNode;
  className?: string;
  /** Above the items, not chosen. */
  head?: ReactNode;
  items: MenuItem[];
}

/** A button with a list of actions (WAI-ARIA menu button pattern): arrows move, Escape closes. */
export function Menu({ label, trigger, className = 'icon-button', head, items }: MenuProps) {
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
            {items.map((item) => (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={`menu-item${item.danger ? ' menu-danger' : ''}`}
                onClick={() => {
                  close();
                  item.run();
                }}
              >
                {item.icon && <Icon name={item.icon} size={16} />}
                {item.label}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

const itemsOf = (root: HTMLElement | null): HTMLElement[] =>
  Array.from(root?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []);

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
