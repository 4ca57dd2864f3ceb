import { LIMITS, type Maintenance } from '@sentinel-node/contracts';
import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { changeErrors, changeRequest, localOf } from '../forms/maintenance-values.ts';
import { useForm } from '../forms/use-form.ts';
import { api } from '../state/api.ts';
import { zoneName } from '../time-zone.ts';
import { TextArea, TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';

interface ChangeWindowModalProps {
  orgId: string;
  window: Maintenance;
  onClose: () => void;
  onDone: () => void;
}

/** Changes the reason and end of a window that is not over; its scope stays. */
export function ChangeWindowModal({ orgId, window, onClose, onDone }: ChangeWindowModalProps) {
  const form = useForm({ reason: window.reason, end: localOf(window.end) }, changeErrors);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const change = async (values: typeof form.values): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await api().changeMaintenance(orgId, window.id, changeRequest(window, values));
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Modal title={`Change of ${window.reason}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={form.submit((values) => void change(values))}>
        {failure !== null && (
          <Notice tone="danger" title="The window was not changed.">
            {failure}
          </Notice>
        )}
        <TextArea label="Reason" maxLength={LIMITS.descriptionCharacters} {...form.text('reason')} />
        <TextInput
          label="End"
          type="datetime-local"
          hint={`In ${zoneName()}; at most ${LIMITS.windowDaysMax} days after the start.`}
          {...form.text('end')}
        />
        <ModalFoot busy={busy}>Save changes</ModalFoot>
      </form>
    </Modal>
  );
}
