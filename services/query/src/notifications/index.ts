/** Notifications: rules of an organisation, and the mails that they cause. */
import type { QueryContext } from '../context.ts';
import type { Feature } from '../http/feature.ts';
import type { NoticeTargets } from './notice.ts';
import { notificationRoutes } from './routes.ts';
import type { Unsubscribing } from './settings.ts';
import type { NoticeStream } from './topic.ts';

export { MAILBOXES_COLLECTION, MailboxWriter } from './mailboxes.ts';
export {
  NOTICE_TYPES,
  type Notice,
  type NoticeTargets,
  type NoticeType,
  SEVERITIES,
  type Severity,
} from './notice.ts';
export { NOTICE_MARKERS_COLLECTION, readStart, unfinished } from './markers.ts';
export { noticeRecipient } from './mail-sender.ts';
export { NOTICE_STATES_COLLECTION } from './looks.ts';
export { type Notifier, notifierOf } from './notifier.ts';
export { notificationOperations } from './operations.ts';
export { readRules } from './rules.ts';
export { type NoticeStream, noticeStream } from './topic.ts';
export { NOTIFICATION_SETTINGS_COLLECTION, type Unsubscribing, unsubscribing } from './settings.ts';

export interface NotificationContext extends QueryContext {
  readonly unsubscribing: Unsubscribing;
  /** Webhooks that rules may name. Absent when there are none. */
  readonly webhooks?: NoticeTargets;
  /** Absent when the operator wants no topic of notices. */
  readonly stream?: NoticeStream;
}

export const notifications: Feature<NotificationContext> = async (app, context) =>
  notificationRoutes(app, context);
