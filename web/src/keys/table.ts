/** Table of all keyboard shortcuts, for dispatch, hints, the palette and the help. */
import { paths } from '../paths.ts';

export interface Shortcut {
  id: string;
  /** Keys to press in sequence; a letter's case counts. `Mod` is Ctrl, or Command on a Mac. */
  keys: readonly string[];
  text: string;
  /** Path of the page that the shortcut opens. */
  to?: string;
  /** Whether the shortcut is for administrators only. */
  admin?: boolean;
  /** Whether the browser itself handles the keys; the help only lists them. */
  native?: boolean;
}

interface Group {
  title: string;
  shortcuts: readonly Shortcut[];
}

const everywhere = [
  { id: 'palette', keys: ['Mod+k'], text: 'Find a page, device, file or action' },
  { id: 'help', keys: ['?'], text: 'Keyboard shortcuts' },
  { id: 'search', keys: ['/'], text: 'Search the list; Enter goes to what was found' },
  { id: 'close', keys: ['Escape'], text: 'Close what is open', native: true },
] as const satisfies readonly Shortcut[];

const rows = [
  { id: 'next', keys: ['j'], text: 'Next row' },
  { id: 'previous', keys: ['k'], text: 'Previous row' },
  { id: 'open', keys: ['Enter'], text: 'Open the row', native: true },
  { id: 'select', keys: ['x'], text: 'Select the row' },
  { id: 'range', keys: ['X'], text: 'Select from the last selected row to this one' },
  { id: 'select-all', keys: ['a'], text: 'Select all that match' },
  { id: 'next-page', keys: ['n'], text: 'Next page of the list' },
  { id: 'previous-page', keys: ['p'], text: 'Previous page of the list' },
  { id: 'export', keys: ['e'], text: 'Export the list' },
] as const satisfies readonly Shortcut[];

const alerts = [
  { id: 'dismiss', keys: ['d'], text: 'Dismiss' },
  { id: 'reset', keys: ['r'], text: 'Reset' },
  { id: 'share', keys: ['s'], text: 'Share' },
] as const satisfies readonly Shortcut[];

const pages = [
  { id: 'go-dashboard', keys: ['g', 'd'], text: 'Dashboard', to: paths.dashboard },
  { id: 'go-alerts', keys: ['g', 'a'], text: 'Alerts', to: paths.alerts },
  { id: 'go-devices', keys: ['g', 'v'], text: 'Devices', to: paths.devices },
  { id: 'go-users', keys: ['g', 'u'], text: 'Users management', to: paths.users },
  { id: 'go-enrolments', keys: ['g', 't'], text: 'Enrolment tokens', to: paths.enrolments, admin: true },
  { id: 'go-verify', keys: ['g', 'p'], text: 'Check a proof', to: paths.verify },
  { id: 'add-device', keys: ['c', 'd'], text: 'Add device', to: paths.addDevice },
  { id: 'add-user', keys: ['c', 'u'], text: 'Add user', to: paths.defineUser, admin: true },
  { id: 'add-enrolment', keys: ['c', 't'], text: 'Make a token', to: paths.defineEnrolment, admin: true },
] as const satisfies readonly Shortcut[];

/** Groups of shortcuts for the help. */
export const shortcutGroups = [
  { title: 'Everywhere', shortcuts: everywhere },
  { title: 'Lists', shortcuts: rows },
  { title: 'Alerts', shortcuts: alerts },
  { title: 'Go to', shortcuts: pages },
] as const satisfies readonly Group[];

export type ShortcutId = (typeof shortcutGroups)[number]['shortcuts'][number]['id'];

export const allShortcuts: readonly Shortcut[] = shortcutGroups.flatMap(
  ({ shortcuts }): readonly Shortcut[] => shortcuts,
);

export const pageShortcuts: readonly Shortcut[] = pages;

/** Returns a shortcut of the table. */
export function shortcutOf(id: ShortcutId): Shortcut {
  const found = allShortcuts.find((shortcut) => shortcut.id === id);
  if (found === undefined) throw new Error(`no shortcut ${id}`);
  return found;
}

/** Returns the shortcut that opens a page. */
export const shortcutTo = (path: string): Shortcut | undefined => pageShortcuts.find(({ to }) => to === path);

/** Returns whether a shortcut works without Ctrl or Command, so that a person can switch it off (WCAG 2.1.4). */
export const isSingleKey = ({ keys, native = false }: Shortcut): boolean =>
  !native && keys.every((key) => !key.startsWith('Mod+'));
