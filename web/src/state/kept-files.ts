/** Unsaved values of the files form, for the next time the form opens. */
import { newFile, type FileDraft } from '../forms/file-values.ts';
import type { ManyDraft } from '../forms/many-files.ts';
import { isRecord } from '../narrow.ts';
import { isLike } from './kept-forms.ts';

export interface EnteredFiles {
  drafts: FileDraft[];
  many: ManyDraft | null;
  /** Values of the edited file that the form began with; absent when files are added. */
  base?: FileDraft['values'] | undefined;
}

/** Returns a form of the values that JSON can hold. */
export const enteredToKeep = ({ drafts, many, base }: EnteredFiles): unknown => ({
  drafts: drafts.map(({ values }) => values),
  many,
  base,
});

/** Returns the values of `enteredToKeep`; null for anything else. */
export function keptEntered(kept: unknown): EnteredFiles | null {
  if (!isRecord(kept) || !Array.isArray(kept['drafts'])) return null;
  const { many, base } = kept;
  const drafts = kept['drafts'].flatMap((values: unknown, key) =>
    isLike(values, newFile) ? [{ key, values, touched: new Set<keyof typeof newFile>() }] : [],
  );
  if (drafts.length < kept['drafts'].length) return null;
  if (many === null)
    return drafts.length === 0 ? null : { drafts, many, base: isLike(base, newFile) ? base : undefined };
  if (!isRecord(many) || typeof many['text'] !== 'string' || !isLike(many['common'], newFile)) return null;
  return { drafts, many: { text: many['text'], common: many['common'] } };
}
