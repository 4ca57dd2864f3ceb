/** Items of the palette, and the search in them. */
import type { DeviceListItem, File } from '@sentinel-node/contracts';
import type { IconName } from '../ui/Icon.tsx';

export const PALETTE_GROUPS = ['Actions', 'Pages', 'Devices', 'Files'] as const;
export type PaletteGroup = (typeof PALETTE_GROUPS)[number];

export interface PaletteItem {
  id: string;
  group: PaletteGroup;
  icon: IconName;
  text: string;
  /** Secondary text, which is searched too. */
  detail?: string;
  keys?: readonly string[];
  run: () => void;
}

/** Most shown items per group. */
export const SHOWN_MAX = 8;

const wordsOf = (query: string): string[] => query.trim().toLowerCase().split(/\s+/).filter(Boolean);

/** Returns the items that contain every word, those that begin with the first word first. */
export function matchingItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = wordsOf(query);
  const matching = items.filter(({ text, detail = '' }) => holdsAll(`${text} ${detail}`, words));
  const [first = ''] = words;
  const begins = ({ text }: PaletteItem): number => (text.toLowerCase().startsWith(first) ? 0 : 1);
  const sorted = matching.toSorted((a, b) => begins(a) - begins(b));
  return PALETTE_GROUPS.flatMap((group) => sorted.filter((item) => item.group === group).slice(0, SHOWN_MAX));
}

const holdsAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Most devices whose files are read for one query. */
export const FILES_OF_DEVICES = 3;

/** Returns the devices whose name contains most words of the query, when they are few; their files are offered too. */
export function namedDevices(devices: readonly DeviceListItem[], query: string): DeviceListItem[] {
  const words = wordsOf(query);
  const wordsIn = ({ name }: DeviceListItem): number =>
    words.filter((word) => name.toLowerCase().includes(word)).length;
  const most = devices.reduce((highest, device) => Math.max(highest, wordsIn(device)), 0);
  const named = most === 0 ? [] : devices.filter((device) => wordsIn(device) === most);
  return named.length <= FILES_OF_DEVICES ? named : [];
}

export interface FoundFile {
  device: { id: string; name: string };
  file: Pick<File, 'id' | 'name' | 'path'>;
}
