import { LIMITS } from '@sentinel-node/contracts';
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { TextArea } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Notice } from '../ui/Notice.tsx';
import { useCloseDialog } from '../ui/use-dialog.ts';

interface NoteModalProps {
  text: string;
  busy: boolean;
  /** Why the last submission was refused. */
  failure?: string | null;
  onSubmit: (note: string) => void;
  onClose: () => void;
}

/** A required note that is kept with what it explains. */
export function NoteModal({ text, busy, failure = null, onSubmit, onClose }: NoteModalProps) {
  const [note, setNote] = useState('');
  const [touched, setTouched] = useState(false);
  const invalid = note.trim() === '';
  return (
    <Modal title="Please submit a note" onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if (!invalid) onSubmit(note);
        }}
      >
        <p className="muted">{text}</p>
        {failure !== null && <Notice tone="danger" title={failure} />}
        <TextArea
          label="Note"
          rows={4}
          autoFocus
          maxLength={LIMITS.noteCharacters}
          value={note}
          error={touched && invalid ? 'Note required' : undefined}
          onChange={(event) => {
            setNote(event.target.value);
            setTouched(true);
          }}
          onBlur={() => setTouched(true)}
        />
        <NoteFoot busy={busy} />
      </form>
    </Modal>
  );
}

function NoteFoot({ busy }: { busy: boolean }) {
  const close = useCloseDialog();
  return (
    <div className="modal-foot">
      <Button onClick={close}>Cancel</Button>
      <Button tone="primary" type="submit" busy={busy}>
        Submit
      </Button>
    </div>
  );
}
