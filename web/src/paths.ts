/** Every route of the console, as patterns for the router and as functions for links. */
export const paths = {
  home: '/',
  login: '/login',
  loginError: '/login/error',
  loginInfo: '/login/info',
  authentication: '/authentication',
  confirmUser: '/user/confirm/:id',
  sharedAlert: '/share/alert/:alertId',
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
  editFilePattern: '/device/:deviceId/edit-file/:fileId',
  users: '/users',
  defineUser: '/define-user',
  device: (id: string) => `/device/${encodeURIComponent(id)}`,
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
