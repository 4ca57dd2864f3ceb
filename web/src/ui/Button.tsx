import { visible } from '@sentinel-node/contracts';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { Keys } from '../keys/Keys.tsx';
import type { ShortcutId } from '../keys/table.ts';
import { useKeys } from '../keys/use-keys.ts';
import { Icon, type IconName } from './Icon.tsx';

export type ButtonTone = 'primary' | 'danger' | 'plain' | 'quiet';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  tone?: ButtonTone;
  icon?: IconName;
  small?: boolean;
  busy?: boolean;
  /** Whether the button can do nothing here any more. */
  over?: boolean;
  /** Shortcut that presses the button from anywhere on the page or in its panel. */
  shortcut?: ShortcutId;
}

/** A button. While busy or over it only ignores clicks, because a disabled button would lose the focus. */
export function Button({
  tone = 'plain',
  icon,
  small = false,
  busy = false,
  over = false,
  shortcut,
  children,
  'aria-label': label,
  ...rest
}: ButtonProps) {
  const isOff = busy || over;
  const keys = useKeys(shortcut);
  return (
    <button
      type="button"
      data-shortcut={shortcut}
      aria-keyshortcuts={keys?.aria}
      onMouseDown={keepFocusInForm}
      {...rest}
      aria-label={label && visible(label)}
      {...(isOff && { onClick: (event) => event.preventDefault() })}
      className={`button button-${tone}${small ? ' button-small' : ''}`}
      aria-busy={busy || undefined}
      aria-disabled={isOff || undefined}
    >
      {icon && <Icon name={icon} size={small ? 15 : 17} />}
      {children}
      {keys && <Keys keys={keys.keys} />}
    </button>
  );
}

/** Keeps the focus in the form: a field that loses it shows its error, which would move the button away. */
function keepFocusInForm(event: React.MouseEvent<HTMLButtonElement>): void {
  if (event.currentTarget.form !== null) event.preventDefault();
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'aria-label'> {
  icon: IconName;
  /** Name of the action; the button has no other text. */
  label: string;
  shortcut?: ShortcutId;
}

export function IconButton({ icon, label: name, shortcut, ...rest }: IconButtonProps) {
  const label = visible(name);
  const keys = useKeys(shortcut);
  return (
    <button
      type="button"
      title={keys?.title(label) ?? label}
      data-shortcut={shortcut}
      aria-keyshortcuts={keys?.aria}
      {...rest}
      className="icon-button"
      aria-label={label}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ButtonLinkProps {
  to: string;
  state?: unknown;
  tone?: ButtonTone;
  icon?: IconName;
  children: ReactNode;
}

export function ButtonLink({ to, state, tone = 'plain', icon, children }: ButtonLinkProps) {
  return (
    <Link href={to} state={state} className={`button button-${tone}`}>
      {icon && <Icon name={icon} size={17} />}
      {children}
    </Link>
  );
}
