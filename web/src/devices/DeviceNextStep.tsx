import type { Device } from '../answers.ts';
import { Hash } from '../ui/Hash.tsx';
import { Notice } from '../ui/Notice.tsx';
import { startCommand } from './download-configuration.ts';

export type NextStep = 'downloaded' | 'newKey' | 'newKeyNow';

interface DeviceNextStepProps {
  step: NextStep;
  device: Device;
  onDownload: () => void;
  onClose: () => void;
}

const REPLACE =
  'Put it in the place of the one on the device: the agent reads it within seconds, without a restart.';

/** Returns what follows from a new key. @param isNow whether the key before it has ended */
export const newKeyText = (isNow: boolean): string =>
  `${
    isNow
      ? 'The key before it has ended: the agent is shut out, and its reports wait, until it has the new configuration.'
      : 'The key before it works for 24 hours more; the agent has to have the new configuration by then.'
  } Download the configuration. ${REPLACE}`;

/** Tells the steps on the device after a download or a new key. */
export function DeviceNextStep({ step, device, onDownload, onClose }: DeviceNextStepProps) {
  if (step === 'downloaded') {
    return (
      <Notice tone="success" title="The configuration was downloaded" onClose={onClose}>
        {REPLACE} Keep it secret: it holds the key of the device. Where no agent runs:{' '}
        <Hash full value={startCommand(device)} label="command" />
      </Notice>
    );
  }
  const isNow = step === 'newKeyNow';
  return (
    <Notice
      tone={isNow ? 'warning' : 'success'}
      title="The device has a new key"
      action={{ label: 'Download configuration', run: onDownload }}
      onClose={onClose}
    >
      {newKeyText(isNow)}
    </Notice>
  );
}
