import { isBlank, LIMITS } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import type { NoticeText } from '../state/notices.ts';
import { useKeptText } from '../state/use-kept.ts';
import { TextArea } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { FailureNotice } from './FailureNotice.tsx';

interface NoteModalProps {
  text: string;
  /** Name under which the note is kept when it is not saved; by default its text. */
  keptAs?: string;
  busy: boolean;
  /** Why the last submission was refused. */
  failure?: NoticeText | null;
  /** Whether the dialog must be closed before another try; it keeps the note for then. */
  over?: boolean;
  onSubmit: (note: string) => void;
  onClose: () => void;
}

/** Asks for a required note, which is saved with the action. */
export function NoteModal({
  text,
  keptAs = `note: ${text}`,
  busy,
  failure = null,
  over = false,
  onSubmit,
  onClose,
}: NoteModalProps) {
  const [note, setNote] = useKeptText(keptAs);
  const [touched, setTouched] = useState(false);
  const invalid = isBlank(note);
  useEffect(() => {
    if (over) keepForm(keptAs, note, formPlace());
  }, [over, keptAs, note]);
  return (
    <Modal title="Please submit a note" onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if (!invalid && !over) onSubmit(note);
        }}
      >
        <p className="muted">{text}</p>
        <FailureNotice failure={failure} />
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
        <ModalFoot busy={busy} over={over}>
          Submit
        </ModalFoot>
      </form>
    </Modal>
  );
}
