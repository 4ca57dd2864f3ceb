import type { Device } from '../answers.ts';
import { useState } from 'react';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import type { NoticeText } from '../state/notices.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { newKeyText } from './DeviceNextStep.tsx';
import { MakingFailure } from '../components/MakingFailure.tsx';
import { useMaking, type MadeWords } from '../components/use-shown-once.tsx';

interface NewKeyModalProps {
  orgId: string;
  device: Device;
  /** Called when there is a new key. @param now whether the old key has already ended */
  onDone: (now: boolean) => void;
  /** Called after each try, also when the dialog is closed: the device may have a new key. */
  onTried: () => void;
  onDownload: () => void;
  onClose: () => void;
}

const wordsOf = (now: boolean): MadeWords => ({
  refused: 'The device has no new key.',
  unknown: {
    title: 'It is not known whether the device has a new key.',
    text:
      'Download the configuration, which has the newest key, and give it to the agent before you try again: ' +
      'if the key of the agent was replaced, it works for 24 hours at most.',
  },
  unseen: { title: 'The device has a new key.', text: newKeyText(now) },
});

/** Asks whether a device's old key stays valid for a day or ends at once. */
export function NewKeyModal({ orgId, device, onDone, onTried, onDownload, onClose }: NewKeyModalProps) {
  const [now, setNow] = useState(false);
  const [failure, setFailure] = useState<NoticeText | null>(null);
  const { busy, run } = useMaking(wordsOf(now), { path: paths.device(device.id), title: device.name });
  const renew = async (): Promise<void> => {
    setFailure(null);
    await run(
      () => api().rotateKey(orgId, device.id, now),
      () => onDone(now),
      setFailure,
    );
    onTried();
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
          <MakingFailure
            {...failure}
            // The page of the device is shown already.
            {...(failure.action && { action: { label: 'Download configuration', run: onDownload } })}
          />
        )}
        <ModalFoot icon="reset" busy={busy}>
          Make a new key
        </ModalFoot>
      </form>
    </Modal>
  );
}
