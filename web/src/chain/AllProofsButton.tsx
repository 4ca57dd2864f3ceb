import { useState } from 'react';
import { allProofs, MOST_BUNDLES, type SavedBundle } from './all-proofs.ts';
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
    let last: SavedBundle | undefined;
    try {
      for await (const bundle of allProofs((range) => api().getBundle(file, range))) {
        saveFile(nameOf(file, bundle), bundle.document);
        last = bundle;
      }
      if (last?.to !== undefined) notify({ tone: 'warning', title: NOT_ALL, text: unfinished(last.to) });
    } catch (error) {
      const reason = isCode(error, 'UNAUTHENTICATED') ? undefined : messageOf(error);
      // A saved file looks whole: say that it is not, also to a person whose session has ended.
      if (last?.to !== undefined) notify({ tone: 'danger', title: NOT_ALL, text: upTo(last.to), reason });
      else if (reason !== undefined) notify({ tone: 'danger', title: 'Error!', text: reason });
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

const NOT_ALL = 'Not all proofs';

const upTo = (to: number): string => `The files hold the entries up to ${to}.`;

const unfinished = (to: number): string =>
  `${MOST_BUNDLES} files hold the entries up to ${to}. The API gives the others.`;
