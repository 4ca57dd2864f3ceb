import type { Device, DeviceListItem } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { changeDevice, deviceUpdate } from '../device-update.ts';
import { formPlace, keepForm } from '../state/kept-forms.ts';
import { orgIdAtom, userAtom } from '../state/session.ts';
import { Badge } from '../ui/Badge.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { NoteModal } from '../components/NoteModal.tsx';

interface DeviceMonitoringProps {
  device: Device | DeviceListItem;
  onSaved: () => void;
}

interface Step {
  at: 'stop' | 'note' | 'start';
}

/** Shows a device's monitoring switch, or a marker when the device is silent. */
export function DeviceMonitoring({ device, onSaved }: DeviceMonitoringProps) {
  const [step, setStep] = useState<Step | null>(null);
  const { save, busy } = useSave(device, onSaved);
  // A question stays until its answer: its note would be lost otherwise.
  if (device.status === 'NON_ACTIVE' && step === null) {
    return (
      <Badge tone="warning">
        Issue detected <Icon name="info" size={14} label="No signal from this device" />
      </Badge>
    );
  }
  const close = (): void => setStep(null);
  const noteName = `monitoring note ${device.id}`;
  const send = async (enabled: boolean, note: string | null): Promise<void> => {
    const place = formPlace();
    const isSaved = await save(enabled, note);
    if (!isSaved && note !== null) keepForm(noteName, note, place);
    // The person may have closed the question, and opened another.
    setStep((present) => (present === step ? null : present));
  };
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Toggle
        label={`Monitoring of ${device.name}`}
        checked={device.enabled}
        words={{ on: 'On', off: 'Off' }}
        onChange={(on) => setStep({ at: on ? 'start' : 'stop' })}
      />
      {step?.at === 'stop' && (
        <ConfirmDialog
          title={`Are you sure you want to stop monitoring ${device.name} device?`}
          tone="danger"
          onYes={() => setStep({ at: 'note' })}
          onClose={close}
        />
      )}
      {step?.at === 'note' && (
        <NoteModal
          text="Please explain why this device no longer should be monitored"
          keptAs={noteName}
          busy={busy}
          onSubmit={(note) => void send(false, note)}
          onClose={close}
        />
      )}
      {step?.at === 'start' && (
        <ConfirmDialog
          title={`Are you sure you want to start monitoring ${device.name} device?`}
          tone="primary"
          onYes={() => void send(true, null)}
          onClose={close}
        />
      )}
    </span>
  );
}

function useSave(device: Device | DeviceListItem, done: () => void) {
  const orgId = useAtomValue(orgIdAtom);
  const email = useAtomValue(userAtom)?.email ?? null;
  const [busy, setBusy] = useState(false);
  const save = async (enabled: boolean, disabledNote: string | null): Promise<boolean> => {
    setBusy(true);
    const change = { enabled, disabledNote, emailAddress: enabled ? null : email };
    // A failed update has no message (section 8 of the specification): the data is read again, and the next question has what
    // was typed.
    const isSaved = await changeDevice(orgId, device.id, (read) => deviceUpdate(read, change)).then(
      () => true,
      () => false,
    );
    setBusy(false);
    done();
    return isSaved;
  };
  return { save, busy };
}
