import type { FileInput, Device, File } from '../answers.ts';
import { useState } from 'react';
import { changeDevice, deviceUpdate, fileInput } from '../device-update.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';

interface FileMonitoringProps {
  orgId: string;
  device: Device;
  file: File;
  onSaved: () => void;
}

/** Shows a file's monitoring switch, which is saved with the whole device. */
export function FileMonitoring({ orgId, device, file, onSaved }: FileMonitoringProps) {
  /** Whether monitoring is to be on: what was asked, also when somebody else switches it meanwhile. */
  const [asked, setAsked] = useState<boolean | null>(null);
  const filesWith = (read: Device, enabled: boolean): FileInput[] =>
    read.files.map((other) => ({ ...fileInput(other), ...(other.id === file.id && { enabled }) }));
  const save = async (next: boolean): Promise<void> => {
    // A failed update has no message (section 8 of the specification); the data is read again in both cases.
    await changeDevice(orgId, device.id, (read) => ({
      ...deviceUpdate(read, {}, filesWith(read, next)),
      updateDeviceData: false,
    })).catch(() => null);
    setAsked(null);
    onSaved();
  };
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Toggle
        label={`Monitoring of ${file.name}`}
        checked={file.enabled}
        words={{ on: device.enabled ? 'On' : 'Paused', off: 'Off' }}
        onChange={setAsked}
      />
      {asked !== null && (
        <ConfirmDialog
          title={`Are you sure you want to ${asked ? 'start' : 'stop'} monitoring ${file.name} file?`}
          tone={asked ? 'primary' : 'danger'}
          onYes={() => void save(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </span>
  );
}
