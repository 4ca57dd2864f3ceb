import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Keys } from '../keys/Keys.tsx';
import { shortcutTo } from '../keys/table.ts';
import { useKeys } from '../keys/use-keys.ts';
import { isCurrent, navigation } from '../paths.ts';
import { openOverlay } from '../shortcuts/overlay.ts';
import { orgIdAtom, userAtom } from '../state/session.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Brand } from './Brand.tsx';
import { LiveMark } from './LiveMark.tsx';
import { SideNav } from './SideNav.tsx';
import { DisplayMenu, UserMenu } from './UserMenu.tsx';
import { ZoneMark } from './ZoneMark.tsx';

export function Header() {
  const user = useAtomValue(userAtom);
  const orgId = useAtomValue(orgIdAtom);
  const [open, setOpen] = useState(false);
  return (
    <header className="header">
      <div className="header-inner">
        {orgId !== null && (
          <div className="hamburger">
            <IconButton
              icon="menu"
              label="Open navigation"
              aria-expanded={open}
              onClick={() => setOpen(true)}
            />
          </div>
        )}
        <Brand />
        {orgId !== null && <NavLinks />}
        <div className="grow" />
        {orgId !== null && <FindButton />}
        {orgId !== null && <ZoneMark />}
        {orgId !== null && <LiveMark />}
        {user === null ? <DisplayMenu /> : <UserMenu email={user.email} name={user.name} />}
      </div>
      {open && <SideNav onClose={() => setOpen(false)} />}
    </header>
  );
}

function NavLinks() {
  return (
    <nav className="nav" aria-label="Main">
      {navigation.map((item) => (
        <NavLink key={item.path} path={item.path} label={item.label} />
      ))}
    </nav>
  );
}

/** Shows a navigation link, whose title names its shortcut. */
function NavLink({ path, label }: { path: string; label: string }) {
  const [location] = useLocation();
  const keys = useKeys(shortcutTo(path));
  return (
    <Link
      href={path}
      className="nav-link"
      title={keys?.title(label)}
      aria-current={isCurrent(path, location) ? 'page' : undefined}
    >
      {label}
    </Link>
  );
}

/** Shows the button that opens the palette. */
function FindButton() {
  const keys = useKeys('palette');
  return (
    <button
      type="button"
      className="find-button"
      aria-keyshortcuts={keys?.aria}
      title={keys?.title('Find a page, device, file or action')}
      onClick={() => openOverlay('palette')}
    >
      <Icon name="search" size={16} />
      <span className="visually-hidden">Find and go</span>
      <span className="find-text" aria-hidden="true">
        Find
      </span>
      {keys && <Keys keys={keys.keys} />}
    </button>
  );
}
