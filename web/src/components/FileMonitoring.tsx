import type { Device, File } from '@sentinel-node/contracts';
import { useState } from 'react';
import { deviceUpdate, fileInput } from '../device-update.ts';
import { api } from '../state/api.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';

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
  const save = async (next: boolean): Promise<void> => {
    const files = device.files.map((other) =>
      other.id === file.id ? { ...fileInput(other), enabled: next } : fileInput(other),
    );
    // A failed update has no message (specification, section 8); the data is read again in both cases.
    await api()
      .updateDevice(orgId, device.id, { ...deviceUpdate(device, {}, files), updateDeviceData: false })
      .catch(() => null);
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
