import { atom, getDefaultStore } from 'jotai';
import type { ReactNode } from 'react';
import type { NoticeTone } from '../ui/notice-tone.ts';

export interface NoticeText {
  tone: NoticeTone;
  title: string;
  text?: string;
  /** Why it failed, where the text says something else: the words of the specification, or what to do. */
  reason?: string | undefined;
  action?: { label: string; run: () => void };
  icon?: ReactNode;
  /** Time added to the reading time, in ms. */
  duration?: number;
}

export interface ShownNotice extends NoticeText {
  id: number;
}

const BASE_MS = 600;
const DANGER_MS = 3_000;
const WARNING_MS = 1_500;
const WORD_MS = 450;
const DEFAULT_MS = 2_000;
/** Most shown notices; older ones are removed first. */
const NOTICES_MAX = 4;
/** Time of the closing animation, in ms. */
export const NOTICE_DETACH_MS = 200;

export const noticesAtom = atom<ShownNotice[]>([]);

/** Element that lies where notices otherwise appear, so that they stand above it; null without one. */
export const noticesPlaceAtom = atom<HTMLElement | null>(null);

/** Returns how long a notice stays, in ms (section 9 of the specification). */
export function noticeDuration(notice: NoticeText): number {
  const words = `${notice.title} ${notice.text ?? ''} ${notice.reason ?? ''}`
    .split(/\s+/)
    .filter(Boolean).length;
  const tone = notice.tone === 'danger' ? DANGER_MS : notice.tone === 'warning' ? WARNING_MS : 0;
  return BASE_MS + (notice.duration ?? DEFAULT_MS) + tone + words * WORD_MS;
}

let lastId = 0;

export function notify(notice: NoticeText): void {
  lastId += 1;
  const shown = { ...notice, id: lastId };
  getDefaultStore().set(noticesAtom, (notices) => [...notices.slice(-(NOTICES_MAX - 1)), shown]);
}

const keepOnly = (isKept: (notice: ShownNotice) => boolean): void =>
  getDefaultStore().set(noticesAtom, (notices) => notices.filter(isKept));

export const dismissNotice = (id: number): void => keepOnly((notice) => notice.id !== id);

/** Takes back what is not true any more. */
export const dismissTitled = (title: string): void => keepOnly((notice) => notice.title !== title);
