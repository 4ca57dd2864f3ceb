/** What the palette offers, and which of it a person's words mean. */
import type { DeviceListItem, File } from '@sentinel-node/contracts';
import type { IconName } from '../ui/Icon.tsx';

export const PALETTE_GROUPS = ['Actions', 'Pages', 'Devices', 'Files'] as const;
export type PaletteGroup = (typeof PALETTE_GROUPS)[number];

export interface PaletteItem {
  id: string;
  group: PaletteGroup;
  icon: IconName;
  text: string;
  /** Beside the text, quieter; it is searched too. */
  detail?: string;
  keys?: readonly string[];
  run: () => void;
}

/** Items of one group that are shown at once. */
export const SHOWN_MAX = 8;

const wordsOf = (query: string): string[] => query.trim().toLowerCase().split(/\s+/).filter(Boolean);

/** Those that hold every word, the ones that begin with the first word before the others. */
export function found(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = wordsOf(query);
  const matching = items.filter(({ text, detail = '' }) => holdsAll(`${text} ${detail}`, words));
  const [first = ''] = words;
  const begins = ({ text }: PaletteItem): number => (text.toLowerCase().startsWith(first) ? 0 : 1);
  const sorted = matching.toSorted((a, b) => begins(a) - begins(b));
  return PALETTE_GROUPS.flatMap((group) => sorted.filter((item) => item.group === group).slice(0, SHOWN_MAX));
}

const holdsAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Devices whose files are read for one query. */
export const FILES_OF_DEVICES = 3;

/** Devices that a query names by one of its words, when they are few: their files are offered too. */
export function namedDevices(devices: readonly DeviceListItem[], query: string): DeviceListItem[] {
  const words = wordsOf(query);
  const named = devices.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)));
  return named.length <= FILES_OF_DEVICES ? named : [];
}

export interface FoundFile {
  device: { id: string; name: string };
  file: Pick<File, 'id' | 'name' | 'path'>;
}
