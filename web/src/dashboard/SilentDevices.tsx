import type { Dashboard } from '../answers.ts';
import { plural } from '../format.ts';

/** Returns the number of monitored devices without a signal, also of those that have no monitored file. */
export const silentDevices = ({ performance, notMonitored }: Dashboard): number =>
  performance.numberOfDevicesDefined - notMonitored.devices - performance.numberOfDevicesActive;

/** Says how many devices give no signal; nothing when there are none. */
export const SilentDevices = ({ count }: { count: number }) =>
  count > 0 && <span>No signal from {plural(count, 'device')}</span>;
