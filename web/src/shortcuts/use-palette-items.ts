import { useAtom, useAtomValue } from 'jotai';
import { useState } from 'react';
import { capitalised } from '../format.ts';
import { shownKeys } from '../keys/keys.ts';
import { singleKeysAtom } from '../keys/single-keys.ts';
import { allShortcuts, isSingleKey, pageShortcuts, type Shortcut } from '../keys/table.ts';
import { isMac } from '../keys/use-keys.ts';
import { navigation, paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { logOut } from '../state/log-out.ts';
import { isAdminAtom } from '../state/session.ts';
import { THEMES, themeAtom } from '../state/theme.ts';
import { zoneAtom } from '../state/zone.ts';
import type { IconName } from '../ui/Icon.tsx';
import { openOverlay } from './overlay.ts';
import type { PaletteItem } from './palette-items.ts';
import { controlsOf } from './places.ts';
import { usePaletteData } from './use-palette-data.ts';

const iconOf = (path: string): IconName =>
  navigation.find((entry) => entry.path === path)?.icon ?? (path === paths.verify ? 'shield' : 'plus');

/** Returns the palette's items: pages, devices, files and actions available here. */
export function usePaletteItems(orgId: string, query: string) {
  const isAdmin = useAtomValue(isAdminAtom);
  const hasKeys = useAtomValue(singleKeysAtom) === 'on';
  const keysOf = (shortcut: Shortcut | undefined) =>
    shortcut === undefined || (isSingleKey(shortcut) && !hasKeys) ? {} : { keys: shownKeys(shortcut, isMac) };
  const { devices, files, ...state } = usePaletteData(orgId, query);
  const onPage = usePageActions();
  const settings = useSettings();
  const pages = pageShortcuts
    .filter((shortcut) => isAdmin || shortcut.admin !== true)
    .map((shortcut): PaletteItem => {
      const to = shortcut.to ?? paths.dashboard;
      return {
        id: shortcut.id,
        group: 'Pages',
        icon: iconOf(to),
        text: shortcut.text,
        ...keysOf(shortcut),
        run: () => navigate(to),
      };
    });
  const items: PaletteItem[] = [
    ...onPage.map((action) => ({
      ...action,
      ...keysOf(allShortcuts.find(({ id }) => id === action.shortcut)),
    })),
    ...settings.map((action) => ({
      ...action,
      ...(action.id === 'help' ? keysOf(allShortcuts.find(({ id }) => id === 'help')) : {}),
    })),
    ...pages,
    ...devices.map(({ id, name, description }): PaletteItem => ({
      id,
      group: 'Devices',
      icon: 'device',
      text: name,
      detail: description,
      run: () => navigate(paths.device(id)),
    })),
    ...files.map(({ device, file }): PaletteItem => ({
      id: file.id,
      group: 'Files',
      icon: 'file',
      text: file.name,
      detail: `${device.name} ${file.path}`,
      run: () => navigate(paths.file(device.id, file.id)),
    })),
  ];
  return { items, state };
}

/** Returns the actions of the page or open panel that have a shortcut, without the palette's own. */
function usePageActions(): (PaletteItem & { shortcut: string })[] {
  const [controls] = useState(() => {
    const panel = Array.from(document.querySelectorAll('dialog[data-shortcuts]')).at(-1);
    return controlsOf(panel ?? document.querySelector('main') ?? document.body);
  });
  return controls.map(({ id, text, element }) => ({
    id: `control ${id}`,
    shortcut: id,
    group: 'Actions',
    icon: 'chevronRight',
    text,
    run: () => element.click(),
  }));
}

function useSettings(): PaletteItem[] {
  const [theme, setTheme] = useAtom(themeAtom);
  const [zone, setZone] = useAtom(zoneAtom);
  const [singleKeys, setSingleKeys] = useAtom(singleKeysAtom);
  const action = (id: string, icon: IconName, text: string, run: () => void): PaletteItem => ({
    id,
    group: 'Actions',
    icon,
    text,
    run,
  });
  const otherZone = zone === 'utc' ? 'local' : 'utc';
  const isOn = singleKeys === 'on';
  return [
    ...THEMES.filter((one) => one !== theme).map((one) =>
      action(`theme ${one}`, 'theme', `Theme: ${capitalised(one)}`, () => setTheme(one)),
    ),
    action('zone', 'clock', otherZone === 'utc' ? 'Show times in UTC' : 'Show local times', () =>
      setZone(otherZone),
    ),
    action('single-keys', 'keyboard', `Turn single-key shortcuts ${isOn ? 'off' : 'on'}`, () =>
      setSingleKeys(isOn ? 'off' : 'on'),
    ),
    action('help', 'keyboard', 'Keyboard shortcuts', () => openOverlay('help')),
    action('log-out', 'logout', 'Log out', logOut),
  ];
}
