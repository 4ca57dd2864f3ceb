import { visible } from '@sentinel-node/contracts';
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Modal } from '../ui/Modal.tsx';
import { useCloseDialog } from '../ui/use-dialog.ts';

interface ConfirmDialogProps {
  title: string;
  text?: string | undefined;
  /** `danger` when the action stops, loses or removes something. */
  tone: 'danger' | 'primary';
  onYes: () => void;
  onClose: () => void;
}

/** Asks a question with No and Yes. Only the first answer counts: the dialog may stay until it is carried out. */
export function ConfirmDialog({ title, text, tone, onYes, onClose }: ConfirmDialogProps) {
  return (
    <Modal title={title} onClose={onClose} question>
      {text && <p className="muted">{visible(text)}</p>}
      <Answers tone={tone} onYes={onYes} />
    </Modal>
  );
}

function Answers({ tone, onYes }: { tone: 'danger' | 'primary'; onYes: () => void }) {
  const close = useCloseDialog();
  const [busy, setBusy] = useState(false);
  const yes = (): void => {
    setBusy(true);
    onYes();
  };
  return (
    <div className="modal-foot">
      <Button onClick={close} busy={busy} autoFocus>
        No
      </Button>
      <Button tone={tone} onClick={yes} busy={busy}>
        Yes
      </Button>
    </div>
  );
}
