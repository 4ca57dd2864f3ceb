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
  const [asking, setAsking] = useState(false);
  const next = !file.enabled;
  const save = async (): Promise<void> => {
    const files = device.files.map((other) =>
      other.id === file.id ? { ...fileInput(other), enabled: next } : fileInput(other),
    );
    // A failed update has no message (specification, section 8); the data is read again in both cases.
    await api()
      .updateDevice(orgId, device.id, { ...deviceUpdate(device, {}, files), updateDeviceData: false })
      .catch(() => null);
    setAsking(false);
    onSaved();
  };
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Toggle
        label={`Monitoring of ${file.name}`}
        checked={file.enabled}
        words={{ on: device.enabled ? 'On' : 'Paused', off: 'Off' }}
        onChange={() => setAsking(true)}
      />
      {asking && (
        <ConfirmDialog
          title={`Are you sure you want to ${next ? 'start' : 'stop'} monitoring ${file.name} file?`}
          tone={next ? 'primary' : 'danger'}
          onYes={() => void save()}
          onClose={() => setAsking(false)}
        />
      )}
    </span>
  );
}
