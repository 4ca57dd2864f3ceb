import { useState } from 'react';
import { useAtomValue } from 'jotai';
import { userAtom } from '../state/session.ts';
import { usePeople } from './use-people.ts';
import { messageOf } from '../errors.ts';
import type { NoticeText } from '../state/notices.ts';
import { Combobox } from '../ui/Combobox.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';

const UNREAD = 'The other users could not be read';

interface AssignModalProps {
  orgId: string;
  /** The assigned things: `3 alerts`. */
  what: string;
  busy: boolean;
  /** Why the last attempt was refused. */
  failure: NoticeText | null;
  /** @param userId null for nobody */
  onAssign: (userId: string | null) => void;
  onClose: () => void;
}

/** Asks who should handle alerts; searches people by name, the signed-in person first. */
export function AssignModal({ orgId, what, busy, failure, onAssign, onClose }: AssignModalProps) {
  const me = useAtomValue(userAtom)?.userId;
  const { people, error, loading, reload } = usePeople(orgId);
  const [userId, setUserId] = useState(me ?? '');
  const choices = [
    { value: '', label: 'Nobody' },
    ...people
      .toSorted((one, other) => Number(other.id === me) - Number(one.id === me))
      .map(({ id, email }) => ({ value: id, label: id === me ? `${email} (you)` : email })),
  ];
  return (
    <Modal title={`Assign ${what}`} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onAssign(userId === '' ? null : userId);
        }}
      >
        <p className="muted">Whoever it is assigned to finds it by the filter “Assigned to”.</p>
        <FailureNotice failure={failure} />
        {error !== null && (
          <Notice tone="warning" title={UNREAD} action={{ label: 'Try again', run: reload }}>
            {messageOf(error)}
          </Notice>
        )}
        <Combobox
          label="Person"
          choices={choices}
          value={userId}
          onChange={setUserId}
          missing={loading ? 'The other users are being read.' : error === null ? undefined : `${UNREAD}.`}
        />
        <ModalFoot icon="users" busy={busy}>
          Assign
        </ModalFoot>
      </form>
    </Modal>
  );
}
