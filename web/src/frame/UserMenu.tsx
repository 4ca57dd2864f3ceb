import { isBlank } from '@sentinel-node/contracts';
import { useAtom, useAtomValue } from 'jotai';
import { capitalised, initialOf } from '../format.ts';
import { singleKeysAtom } from '../keys/single-keys.ts';
import { useKeys } from '../keys/use-keys.ts';
import { openOverlay } from '../shortcuts/overlay.ts';
import { logOut } from '../state/log-out.ts';
import { orgIdAtom } from '../state/session.ts';
import { THEMES, themeAtom } from '../state/theme.ts';
import { ZONES, zoneAtom, type Zone } from '../state/zone.ts';
import { localZone } from '../time-zone.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu, type MenuItem } from '../ui/Menu.tsx';
import { apiReferenceUrl } from './ApiReference.tsx';

const apiReference: MenuItem = {
  label: 'API reference',
  icon: 'external',
  run: () => window.open(apiReferenceUrl(), '_blank', 'noopener,noreferrer'),
};

/** Menu with the signed-in person, display settings and logout. */
export function UserMenu({ email, name }: { email: string; name: string }) {
  const display = useDisplayItems();
  const keys = useKeyItems();
  const isMember = useAtomValue(orgIdAtom) !== null;
  return (
    <Menu
      label="User menu"
      className="avatar-button"
      trigger={
        <>
          <span className="avatar" data-initial={initialOf(isBlank(name) ? email : name)} />
          <Icon name="chevronDown" size={15} />
        </>
      }
      head={
        <div className="menu-head">
          <strong>{name}</strong>
          <span className="muted">{email}</span>
        </div>
      }
      items={[
        ...display,
        ...(isMember ? keys : []),
        apiReference,
        { label: 'Log out', icon: 'logout', run: logOut },
      ]}
    />
  );
}

/** Display settings for visitors without an account. */
export function DisplayMenu() {
  return (
    <Menu
      label="Display"
      trigger={<Icon name="theme" />}
      title="Theme and time zone"
      items={useDisplayItems()}
    />
  );
}

const zoneWord: Record<Zone, string> = { local: `Local, ${localZone()}`, utc: 'UTC' };

function useDisplayItems(): MenuItem[] {
  const [theme, setTheme] = useAtom(themeAtom);
  const [zone, setZone] = useAtom(zoneAtom);
  return [
    ...THEMES.map((one) => ({
      group: 'Theme',
      label: capitalised(one),
      checked: one === theme,
      run: () => setTheme(one),
    })),
    ...ZONES.map((one) => ({
      group: 'Times',
      label: zoneWord[one],
      checked: one === zone,
      run: () => setZone(one),
    })),
  ];
}

function useKeyItems(): MenuItem[] {
  const [singleKeys, setSingleKeys] = useAtom(singleKeysAtom);
  const help = useKeys('help');
  const isOn = singleKeys === 'on';
  return [
    {
      group: 'Keyboard',
      label: 'Single-key shortcuts',
      checked: isOn,
      isSwitch: true,
      run: () => setSingleKeys(isOn ? 'off' : 'on'),
    },
    {
      group: 'Keyboard',
      label: 'Keyboard shortcuts',
      icon: 'keyboard',
      ...(help && { keys: help.keys }),
      run: () => openOverlay('help'),
    },
  ];
}
