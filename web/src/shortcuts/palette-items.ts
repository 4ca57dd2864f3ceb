/** Items of the palette, and the search in them. */
import type { DeviceListItem, File } from '../answers.ts';
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

/** The items of one group that are shown, and how many match. */
export interface FoundGroup {
  readonly group: PaletteGroup;
  readonly shown: readonly PaletteItem[];
  readonly count: number;
}

/** Returns the items that contain every word, those that begin with the first word first; no group without items. */
export function matchingItems(items: readonly PaletteItem[], query: string): FoundGroup[] {
  const words = wordsOf(query);
  const matching = items.filter(({ text, detail = '' }) => holdsAll(`${text} ${detail}`, words));
  const [first = ''] = words;
  const begins = ({ text }: PaletteItem): number => (text.toLowerCase().startsWith(first) ? 0 : 1);
  const sorted = matching.toSorted((a, b) => begins(a) - begins(b));
  return PALETTE_GROUPS.map((group) => {
    const found = sorted.filter((item) => item.group === group);
    return { group, shown: found.slice(0, SHOWN_MAX), count: found.length };
  }).filter(({ count }) => count > 0);
}

const holdsAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Most devices whose files are read for one query. */
export const FILES_OF_DEVICES = 3;

/** Returns the devices whose name contains most words of the query. When they are few, their files are offered too. */
export function namedDevices(devices: readonly DeviceListItem[], query: string): DeviceListItem[] {
  const words = wordsOf(query);
  const wordsIn = ({ name }: DeviceListItem): number =>
    words.filter((word) => name.toLowerCase().includes(word)).length;
  const most = devices.reduce((highest, device) => Math.max(highest, wordsIn(device)), 0);
  return most === 0 ? [] : devices.filter((device) => wordsIn(device) === most);
}

export interface FoundFile {
  device: { id: string; name: string };
  file: Pick<File, 'id' | 'name' | 'path'>;
}
