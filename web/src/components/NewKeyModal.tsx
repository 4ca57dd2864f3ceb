import type { Device } from '@sentinel-node/contracts';
import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';

interface NewKeyModalProps {
  orgId: string;
  device: Device;
  /** @param now whether the old key has already ended */
  onDone: (now: boolean) => void;
  onClose: () => void;
}

/** Asks whether a device's old key stays valid for a day or ends at once. */
export function NewKeyModal({ orgId, device, onDone, onClose }: NewKeyModalProps) {
  const [now, setNow] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const renew = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await api().rotateKey(orgId, device.id, now);
      onDone(now);
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Modal title={`A new key for ${device.name}`} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void renew();
        }}
      >
        <p className="muted">
          The agent signs in with its key. With a new one it needs a new configuration, which you download
          afterwards.
        </p>
        <Checkbox
          label="End the present key at once"
          hint="For a key that others may know. Otherwise it works for 24 hours more, and the agent misses nothing."
          checked={now}
          onChange={setNow}
        />
        {failure !== null && (
          <Notice tone="danger" title="The device has no new key.">
            {failure}
          </Notice>
        )}
        <ModalFoot icon="reset" busy={busy}>
          Make a new key
        </ModalFoot>
      </form>
    </Modal>
  );
}
