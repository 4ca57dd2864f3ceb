/** Unsaved values of the files form, for the next time the form opens. */
import type { FileDraft } from '../components/FileGroup.tsx';
import type { ManyDraft } from '../components/ManyFiles.tsx';

export interface EnteredFiles {
  drafts: FileDraft[];
  many: ManyDraft | null;
}

let kept: { deviceId: string; entered: EnteredFiles } | null = null;

export const keepFiles = (deviceId: string, entered: EnteredFiles): void => {
  kept = { deviceId, entered };
};

export const keptFiles = (deviceId: string): EnteredFiles | null =>
  kept?.deviceId === deviceId ? kept.entered : null;

export const dropFiles = (): void => {
  kept = null;
};
