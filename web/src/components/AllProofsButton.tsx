import { useState } from 'react';
import { allProofs, MOST_BUNDLES, type SavedBundle } from '../all-proofs.ts';
import type { FileKey } from '../api/calls/files.ts';
import { isCode } from '../api/errors.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { Button } from '../ui/Button.tsx';

/** Saves the proofs of all entries of a file, for a third party to check. */
export function AllProofsButton({ file }: { file: FileKey }) {
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      let last: SavedBundle | undefined;
      for await (const bundle of allProofs((range) => api().getBundle(file, range))) {
        saveFile(nameOf(file, bundle), bundle.document);
        last = bundle;
      }
      if (last?.to !== undefined)
        notify({ tone: 'warning', title: 'Not all proofs', text: unfinished(last.to) });
    } catch (error) {
      if (!isCode(error, 'UNAUTHENTICATED'))
        notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
    }
    setBusy(false);
  };
  return (
    <Button small tone="quiet" icon="download" busy={busy} onClick={() => void save()}>
      Download all proofs
    </Button>
  );
}

const nameOf = ({ fileId }: FileKey, { from, to }: SavedBundle): string =>
  from === 0 && to === undefined ? `proofs_${fileId}.json` : `proofs_${fileId}_${from}.json`;

const unfinished = (to: number): string =>
  `${MOST_BUNDLES} files hold the entries up to ${to}. The API gives the others.`;
