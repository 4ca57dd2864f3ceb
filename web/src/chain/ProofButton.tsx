import { useState } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { isCode } from '../api/errors.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { Button } from '../ui/Button.tsx';

/** Saves the proof that a chain entry is anchored, for a third party to check. */
export function ProofButton({ file, link }: { file: FileKey; link: { id: string; number: number } }) {
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const proof = await api().getProof({ ...file, linkId: link.id });
      const text = JSON.stringify(proof, null, 2);
      saveFile(`proof_${link.number}_${link.id}.json`, new Blob([text], { type: 'application/json' }));
    } catch (error) {
      if (!isCode(error, 'UNAUTHENTICATED'))
        notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
    }
    setBusy(false);
  };
  return (
    <Button
      small
      tone="quiet"
      icon="download"
      busy={busy}
      aria-label={`Proof of entry ${link.number}`}
      onClick={() => void save()}
    >
      Proof
    </Button>
  );
}
