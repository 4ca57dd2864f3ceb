import { LIMITS } from '@sentinel-node/contracts';
import { useState } from 'react';
import { useKeptText } from '../state/use-kept.ts';
import { TextArea } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';

interface NoteModalProps {
  text: string;
  busy: boolean;
  /** Why the last submission was refused. */
  failure?: string | null;
  onSubmit: (note: string) => void;
  onClose: () => void;
}

/** Asks for a required note, which is saved with the action. */
export function NoteModal({ text, busy, failure = null, onSubmit, onClose }: NoteModalProps) {
  const [note, setNote] = useKeptText(`note: ${text}`);
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
        <ModalFoot busy={busy}>Submit</ModalFoot>
      </form>
    </Modal>
  );
}
