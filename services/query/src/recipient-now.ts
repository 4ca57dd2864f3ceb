/** Whom a waiting mail goes to, by the feature that made it. */
import type { Clock, DocumentStore } from '@sentinel-node/platform';
import { isSharedWith } from './alerts/index.ts';
import type { RecipientNow } from './mail/condition.ts';
import { noticeRecipient } from './notifications/index.ts';
import { isActivationOf } from './people/index.ts';
import type { RegistryViews } from './views/index.ts';

export function recipientNow(
  store: DocumentStore,
  clock: Clock,
  views: Pick<RegistryViews, 'areCurrent'>,
): RecipientNow {
  return async (condition, to) => {
    switch (condition.kind) {
      case undefined:
        return (await isActivationOf(store, condition)) ? { to } : undefined;
      case 'NOTICE':
        return noticeRecipient({ store, clock, views }, condition);
      case 'SHARED_ALERT':
        return (await isSharedWith({ store, clock }, condition.alertId, to)) ? { to } : undefined;
    }
  };
}
