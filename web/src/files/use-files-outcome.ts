import type { Device } from '../answers.ts';
import type { FailedChange } from '../errors.ts';
import { paths } from '../paths.ts';
import { leaveForm, navigate } from '../state/guard.ts';
import { notify, type NoticeText } from '../state/notices.ts';
import { setUrlParams } from '../state/url.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';

/** Outcome that the files form and the dashboard's links pass to the device's page. */
export interface FilesOutcome extends FailedChange {
  /** Number of saved files. */
  files?: number;
  updated?: boolean;
  /** Address of the form, where what was typed is kept. */
  place?: string;
  fileId?: string;
}

/** @param device name of the device in the notice */
function noticeOf(
  { files, updated, error, reason, place }: FilesOutcome,
  deviceId: string,
  device: string,
): NoticeText | null {
  if (error === true && updated !== true) {
    return {
      tone: 'danger',
      title: 'Files were not added, please try again.',
      reason,
      action: { label: 'Add files', run: () => navigate(place ?? paths.addFiles(deviceId)) },
    };
  }
  if (error === true)
    return { tone: 'danger', title: 'Error!', text: 'File was not updated, please try again.', reason };
  if (updated === true) return { tone: 'success', title: 'File has been updated.' };
  if (files === undefined) return null;
  return { tone: 'success', title: `${files} files have been added to ${device}.` };
}

export function useFilesOutcome(deviceId: string): void {
  useNavigationState<FilesOutcome>((outcome) => {
    if (outcome.fileId !== undefined) setUrlParams({ file: outcome.fileId });
    const notice = noticeOf(outcome, deviceId, 'this device');
    if (notice !== null) notify(notice);
  });
}

/** Leaves the files form for the device's page, which shows the outcome. */
export function leaveFilesForm(
  isShown: boolean,
  { id, name }: Pick<Device, 'id' | 'name'>,
  outcome: FilesOutcome,
) {
  const notice = noticeOf(outcome, id, name);
  if (notice !== null) leaveForm(isShown, paths.device(id), outcome, notice);
}
