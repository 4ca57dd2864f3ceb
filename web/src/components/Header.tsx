import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isCode } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { initialOf } from '../format.ts';
import { isCurrent, navigation, paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { askFirst, leave } from '../state/guard.ts';
import { notify } from '../state/notices.ts';
import { orgIdAtom, signOut, userAtom } from '../state/session.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Brand } from './Brand.tsx';
import { LiveMark } from './LiveMark.tsx';
import { SideNav } from './SideNav.tsx';

/** Somebody whose token lives on is not logged out, and is told so. */
async function logOut(): Promise<void> {
  try {
    await api().logout();
  } catch (error) {
    if (isCode(error, 'UNAUTHENTICATED')) return leave(paths.login);
    const text = `You are still logged in. ${messageOf(error)}`;
    return notify({ tone: 'danger', title: 'Log out failed', text });
  }
  signOut({ deliberate: true });
  leave(paths.login);
}

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
        {orgId !== null && <LiveMark />}
        {user !== null && <AvatarMenu email={user.email} name={user.name} />}
      </div>
      {open && <SideNav onClose={() => setOpen(false)} />}
    </header>
  );
}

function NavLinks() {
  const [location] = useLocation();
  return (
    <nav className="nav" aria-label="Main">
      {navigation.map((item) => (
        <Link
          key={item.path}
          href={item.path}
          className="nav-link"
          aria-current={isCurrent(item.path, location) ? 'page' : undefined}
        >
          {item.label}
        </Link>
      ))}
    </nav>
  );
}

function AvatarMenu({ email, name }: { email: string; name: string }) {
  const initial = initialOf(name.trim() === '' ? email : name);
  return (
    <Menu
      label="User menu"
      className="avatar-button"
      trigger={
        <>
          <span className="avatar" aria-hidden="true">
            {initial}
          </span>
          <Icon name="chevronDown" size={15} />
        </>
      }
      head={
        <div className="menu-head">
          <strong>{name}</strong>
          <span className="muted">{email}</span>
        </div>
      }
      items={[{ label: 'Log out', icon: 'logout', run: () => askFirst(() => void logOut()) }]}
    />
  );
}
