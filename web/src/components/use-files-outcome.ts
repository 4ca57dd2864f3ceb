import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { notify } from '../state/notices.ts';
import { setUrlParams } from '../state/url.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';

/** Outcome that the files form and the dashboard's links pass to the device's page. */
export interface FilesOutcome {
  /** Number of saved files. */
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
