import type { Dashboard } from '@sentinel-node/contracts';
import { paths } from '../paths.ts';
import type { IconName } from '../ui/Icon.tsx';

export interface Notification {
  key: string;
  icon: IconName;
  text: string;
  /** Null: nothing to go to. */
  target: { path: string; state?: unknown } | null;
}

/** What the dashboard has to say, beyond alerts. */
export function notificationsOf(dashboard: Dashboard, isAdmin: boolean): Notification[] {
  const notifications: Notification[] = [];
  if (!dashboard.stripeIdSet) {
    notifications.push({
      key: 'stripe',
      icon: 'info',
      text: 'Stripe ID is not set',
      target: isAdmin ? { path: paths.users } : null,
    });
  }
  for (const device of dashboard.devices) {
    const path = paths.device(device.id);
    if (!device.enabled) {
      const text = `Monitoring of the ${device.name} device is disabled`;
      notifications.push({ key: device.id, icon: 'device', text, target: { path } });
    }
    for (const file of device.files.filter((candidate) => !candidate.enabled)) {
      const text = `Monitoring of the ${file.name} file is disabled`;
      const target = { path, state: { fileId: file.id } };
      notifications.push({ key: file.id, icon: 'file', text, target });
    }
  }
  for (const file of dashboard.performance.noContactFiles) {
    const text = `Lost connection with the file ${file.name}`;
    const target = { path: paths.device(file.deviceId), state: { fileId: file.id } };
    notifications.push({ key: `lost ${file.id}`, icon: 'unplugged', text, target });
  }
  return notifications;
}
