import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { notify } from '../state/notices.ts';
import { setUrlParams } from '../state/url.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';

/** What the files form, and links of the dashboard, tell the device's page. */
export interface FilesOutcome {
  /** Files that were saved. */
  files?: number;
  updated?: boolean;
  error?: boolean;
  fileId?: string;
}

export function useFilesOutcome(deviceId: string): void {
  useNavigationState<FilesOutcome>(({ files, updated, error, fileId }) => {
    if (fileId !== undefined) setUrlParams({ file: fileId });
    if (error === true && updated !== true) {
      notify({
        tone: 'danger',
        title: 'Files were not added, please try again.',
        action: { label: 'Add files', run: () => navigate(paths.addFiles(deviceId)) },
      });
    } else if (error === true) {
      notify({ tone: 'danger', title: 'Error!', text: 'File was not updated, please try again.' });
    } else if (updated === true) {
      notify({ tone: 'success', title: 'File has been updated.' });
    } else if (files !== undefined) {
      notify({ tone: 'success', title: `${files} files have been added to this device.` });
    }
  });
}
