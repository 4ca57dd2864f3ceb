/** Every route of the console, as patterns for the router and as functions for links. */
export const paths = {
  home: '/',
  login: '/login',
  loginError: '/login/error',
  loginInfo: '/login/info',
  authentication: '/authentication',
  confirmUser: '/user/confirm/:id',
  sharedAlert: '/share/alert/:alertId',
  verify: '/verify',
  defineOrganization: '/define-organization',
  organizationSuccess: '/define-organization/success',
  organizationError: '/define-organization/error',
  dashboard: '/dashboard',
  alerts: '/alerts-history',
  devices: '/devices',
  devicesItem: '/devices/:id',
  devicePattern: '/device/:id',
  addDevice: '/add-device',
  editDevicePattern: '/edit-device/:id',
  addFilesPattern: '/device/:deviceId/add-files',
  filePagePattern: '/device/:deviceId/file/:fileId',
  editFilePattern: '/device/:deviceId/edit-file/:fileId',
  enrolments: '/enrolments',
  defineEnrolment: '/define-enrolment',
  serviceTokens: '/service-tokens',
  defineServiceToken: '/define-service-token',
  webhooks: '/webhooks',
  webhookPattern: '/webhook/:id',
  defineWebhook: '/define-webhook',
  notifications: '/notifications',
  defineNotificationRule: '/define-notification-rule',
  editNotificationRulePattern: '/edit-notification-rule/:id',
  maintenance: '/maintenance',
  maintenancePattern: '/maintenance/:id',
  defineMaintenance: '/define-maintenance',
  expected: '/expected-changes',
  expectedPattern: '/expected-changes/:id',
  defineExpected: '/define-expected-changes',
  users: '/users',
  defineUser: '/define-user',
  alert: (id: string, deviceId: string | null) =>
    `/alerts-history?${new URLSearchParams({ alert: id, ...(deviceId !== null && { in: deviceId }) })}`,
  event: (id: string, deviceId: string) => `/dashboard?${new URLSearchParams({ event: id, in: deviceId })}`,
  file: (deviceId: string, fileId: string) =>
    `/device/${encodeURIComponent(deviceId)}?${new URLSearchParams({ file: fileId })}`,
  entry: (deviceId: string, fileId: string, entryId: string) =>
    `/device/${encodeURIComponent(deviceId)}?${new URLSearchParams({ file: fileId, entry: entryId })}`,
  filePage: (deviceId: string, fileId: string, entryId: string | null = null) => {
    const path = `/device/${encodeURIComponent(deviceId)}/file/${encodeURIComponent(fileId)}`;
    return entryId === null ? path : `${path}?${new URLSearchParams({ entry: entryId })}`;
  },
  maintenanceWindow: (id: string) => `/maintenance/${encodeURIComponent(id)}`,
  expectedList: (id: string) => `/expected-changes/${encodeURIComponent(id)}`,
  labelled: (label: string) => `/devices?${new URLSearchParams({ search: label })}`,
  addFilesLike: (deviceId: string, fileId: string) =>
    `/device/${encodeURIComponent(deviceId)}/add-files?${new URLSearchParams({ like: fileId })}`,
  webhook: (id: string) => `/webhook/${encodeURIComponent(id)}`,
  device: (id: string) => `/device/${encodeURIComponent(id)}`,
  editNotificationRule: (id: string) => `/edit-notification-rule/${encodeURIComponent(id)}`,
  editDevice: (id: string) => `/edit-device/${encodeURIComponent(id)}`,
  addFiles: (deviceId: string) => `/device/${encodeURIComponent(deviceId)}/add-files`,
  editFile: (deviceId: string, fileId: string) =>
    `/device/${encodeURIComponent(deviceId)}/edit-file/${encodeURIComponent(fileId)}`,
} as const;

export const navigation = [
  { path: paths.dashboard, label: 'Dashboard', icon: 'dashboard' },
  { path: paths.alerts, label: 'Alerts', icon: 'alert' },
  { path: paths.devices, label: 'Devices', icon: 'device' },
  { path: paths.users, label: 'Users management', icon: 'users' },
] as const;

const sections: [prefix: string, section: string][] = [
  ['/device', paths.devices],
  [paths.addDevice, paths.devices],
  ['/edit-device', paths.devices],
  [paths.enrolments, paths.devices],
  [paths.defineEnrolment, paths.devices],
  [paths.maintenance, paths.alerts],
  [paths.defineMaintenance, paths.alerts],
  [paths.expected, paths.alerts],
  [paths.defineExpected, paths.alerts],
  [paths.serviceTokens, paths.users],
  [paths.defineServiceToken, paths.users],
  ['/webhook', paths.users],
  [paths.defineWebhook, paths.users],
  [paths.notifications, paths.users],
  [paths.defineNotificationRule, paths.users],
  ['/edit-notification-rule', paths.users],
  [paths.defineUser, paths.users],
];

/** Returns whether a page belongs to an entry of the navigation. */
export function isCurrent(entry: string, location: string): boolean {
  if (entry === location) return true;
  return sections.some(([prefix, section]) => section === entry && location.startsWith(prefix));
}
