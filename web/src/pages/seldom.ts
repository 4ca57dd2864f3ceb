/** Rarely opened pages, which the console loads together when one is needed. */
export { DefineEnrolmentPage } from './DefineEnrolmentPage.tsx';
export { DefineExpectedPage } from './DefineExpectedPage.tsx';
export { DefineMaintenancePage } from './DefineMaintenancePage.tsx';
export { DefineServiceTokenPage } from './DefineServiceTokenPage.tsx';
export { DefineUserPage } from './DefineUserPage.tsx';
export { DefineWebhookPage } from './DefineWebhookPage.tsx';
export { EnrolmentsPage } from './EnrolmentsPage.tsx';
export { ExpectedListPage } from './ExpectedListPage.tsx';
export { ExpectedPage } from './ExpectedPage.tsx';
export { MaintenancePage } from './MaintenancePage.tsx';
export { MaintenanceWindowPage } from './MaintenanceWindowPage.tsx';
export { NotificationRulePage } from './NotificationRulePage.tsx';
export { NotificationsPage } from './NotificationsPage.tsx';
export { ServiceTokensPage } from './ServiceTokensPage.tsx';
export { WebhookPage } from './WebhookPage.tsx';
export { WebhooksPage } from './WebhooksPage.tsx';
