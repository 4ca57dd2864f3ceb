import type { Dashboard } from '../answers.ts';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import type { IconName } from '../ui/Icon.tsx';

export interface Notification {
  key: string;
  icon: IconName;
  text: string;
  /** Path of the linked page; null without a link. */
  target: string | null;
}

/** Notifications of one device or of the organisation. */
export interface NotificationGroup {
  key: string;
  /** Name of the device or of what else the items are about; null without one. */
  head: string | null;
  items: Notification[];
}

export interface Notifications {
  /** Number of all notifications, shown or not. */
  count: number;
  groups: NotificationGroup[];
}

/**
 * Returns the dashboard's notifications besides alerts, grouped by device: devices with files that are not judged first, then those
 * with lost files, most files first, then the organisation's own, then what people have switched off.
 */
export function notificationsOf(dashboard: Dashboard, isAdmin: boolean): Notifications {
  const { notMonitored, performance, stripeIdSet, windowsToReview, notJudged } = dashboard;
  const lost = performance.numberOfFilesWithoutContact;
  const off = notMonitored.devices + notMonitored.files;
  // Without a number it is one notification.
  const unjudged = notJudged === undefined ? 0 : Math.max(1, notJudged.files);
  const count = (stripeIdSet ? 0 : 1) + windowsToReview + off + lost + unjudged;
  const groups = new Map<string, NotificationGroup>();
  const add = (device: { id: string; name: string }, item: Notification): void => {
    const group = groups.get(device.id) ?? { key: device.id, head: device.name, items: [] };
    groups.set(device.id, { ...group, items: [...group.items, item] });
  };
  for (const file of notJudged?.named ?? [])
    add({ id: file.deviceId, name: file.deviceName }, notJudgedItem(file));
  const lostFirst = performance.noContactDevices.toSorted((one, other) => other.files - one.files);
  for (const device of lostFirst)
    for (const item of lostOf(device, performance.noContactFiles)) add(device, item);
  const pressing = groups.size;
  for (const device of dashboard.devices) for (const item of ofDevice(device)) add(device, item);
  const own = [
    ...(windowsToReview > 0 ? [reviewItem(windowsToReview)] : []),
    ...(stripeIdSet ? [] : [stripeItem(isAdmin)]),
  ];
  // Without a head of its own it would seem to belong to the device above.
  const ofOrganization = { key: 'organization', head: pressing > 0 ? 'Organization' : null, items: own };
  const shown = [...groups.values()];
  if (own.length > 0) shown.splice(pressing, 0, ofOrganization);
  const rest = [...notJudgedBesides(notJudged), ...lostBesides(performance), ...offBesides(dashboard)];
  return {
    count,
    groups:
      rest.length === 0
        ? shown
        : [...shown, { key: 'rest', head: shown.length > 0 ? 'Others' : null, items: rest }],
  };
}

const reviewItem = (windows: number): Notification => ({
  key: 'review',
  icon: 'calendar',
  text: `${plural(windows, 'maintenance window')} to be reviewed`,
  target: paths.maintenance,
});

const stripeItem = (isAdmin: boolean): Notification => ({
  key: 'stripe',
  icon: 'info',
  text: 'Stripe ID is not set',
  target: isAdmin ? paths.users : null,
});

const notJudgedItem = (file: NonNullable<Dashboard['notJudged']>['named'][number]): Notification => ({
  key: `not judged ${file.id}`,
  icon: 'alert',
  text: `Reports of the file ${file.name} are not judged`,
  target: paths.file(file.deviceId, file.id),
});

/** Returns the notification for files that the dashboard counts but does not name, or of which it knows no number. */
function notJudgedBesides(notJudged: Dashboard['notJudged']): Notification[] {
  if (notJudged === undefined) return [];
  const { files, atLeast, named } = notJudged;
  const more = files - named.length;
  if (more === 0 && !atLeast) return [];
  const counted = plural(more, named.length === 0 ? 'file' : 'more file');
  const text =
    more === 0
      ? `Reports of ${named.length === 0 ? 'some' : 'more'} files may not be judged`
      : `Reports of ${atLeast ? 'at least ' : ''}${counted} are not judged`;
  return [{ key: 'not judged rest', icon: 'alert', text, target: paths.devices }];
}

function ofDevice({ id, name, enabled, files }: Dashboard['devices'][number]): Notification[] {
  const off = files.map((file): Notification => {
    const text = `Monitoring of the ${file.name} file is disabled`;
    return { key: file.id, icon: 'file', text, target: paths.file(id, file.id) };
  });
  if (enabled) return off;
  return [
    {
      key: id,
      icon: 'device',
      text: `Monitoring of the ${name} device is disabled`,
      target: paths.device(id),
    },
    ...off,
  ];
}

/** Most files of a device with their own line; one more line counts the rest. */
const NAMED_FILES = 3;

function lostOf(
  { id, files }: Dashboard['performance']['noContactDevices'][number],
  named: Dashboard['performance']['noContactFiles'],
): Notification[] {
  const own = named.filter(({ deviceId }) => deviceId === id).slice(0, NAMED_FILES);
  const items = own.map((file): Notification => {
    const text = `Lost connection with the file ${file.name}`;
    return { key: `lost ${file.id}`, icon: 'unplugged', text, target: paths.file(id, file.id) };
  });
  const rest = files - own.length;
  if (rest === 0) return items;
  const text = `Lost connection with ${plural(rest, own.length === 0 ? 'file' : 'more file')}`;
  return [...items, { key: `lost more ${id}`, icon: 'unplugged', text, target: paths.device(id) }];
}

/** Returns the notification for devices and files that the dashboard counts but does not list. */
function offBesides({ devices, notMonitored }: Dashboard): Notification[] {
  const off = notMonitored.devices - devices.filter(({ enabled }) => !enabled).length;
  const files = notMonitored.files - devices.reduce((sum, device) => sum + device.files.length, 0);
  const parts = [
    ...(off > 0 ? [plural(off, 'more device')] : []),
    ...(files > 0 ? [plural(files, 'more file')] : []),
  ];
  if (parts.length === 0) return [];
  const text = `Monitoring of ${parts.join(' and ')} is disabled`;
  return [{ key: 'off rest', icon: 'device', text, target: paths.devices }];
}

function lostBesides({
  noContactDevices,
  numberOfFilesWithoutContact,
}: Dashboard['performance']): Notification[] {
  const files = numberOfFilesWithoutContact - noContactDevices.reduce((sum, device) => sum + device.files, 0);
  if (files <= 0) return [];
  const text = `Lost connection with ${plural(files, 'file')} of other devices`;
  return [{ key: 'lost rest', icon: 'unplugged', text, target: paths.devices }];
}
