import {
  CLAIMS_COLLECTION,
  CLOCK_COLLECTION,
  STREAMS_COLLECTION,
  type CollectionSpec,
  type OwnCollection,
} from '@sentinel-node/platform';
import { SAVED_VIEWS_COLLECTION, SHARE_DAYS_COLLECTION, SHARES_COLLECTION } from './alerts/index.ts';
import { CONTACT_HOURS_COLLECTION } from './dashboard/index.ts';
import { ENROLMENT_COUNTS_COLLECTION, ENROLMENT_USES_COLLECTION } from './enrolments/index.ts';
import { DEVELOPMENT_MAILS_COLLECTION } from './mail/development-mailer.ts';
import { MAIL_DAYS_COLLECTION } from './mail/mail-limits.ts';
import { MAILS_COLLECTION } from './mail/queued-mail.ts';
import { GIVEN_UP_MAILS_COLLECTION } from './mail/given-up.ts';
import {
  MAILBOXES_COLLECTION,
  NOTICE_MARKERS_COLLECTION,
  NOTICE_STATES_COLLECTION,
  NOTIFICATION_SETTINGS_COLLECTION,
} from './notifications/index.ts';
import { ACTIVATIONS_COLLECTION } from './people/index.ts';
import { TEST_COLLECTION } from './self-test/index.ts';
import { SERVICE_TOKEN_USES_COLLECTION } from './service-tokens/index.ts';
import { SESSIONS_COLLECTION, SIGN_INS_COLLECTION } from './signin/index.ts';
import { QUOTAS_COLLECTION } from './storage/quotas.ts';
import { RESERVATIONS_COLLECTION } from './storage/reservations.ts';
import {
  WEBHOOK_ATTEMPTS_COLLECTION,
  WEBHOOK_NOTICES_COLLECTION,
  WEBHOOK_SCHEDULES_COLLECTION,
} from './webhooks/index.ts';

/** The collections that this service writes, apart from views, streams and claims. */
export const QUERY_COLLECTIONS: readonly OwnCollection[] = [
  { spec: RESERVATIONS_COLLECTION, keeping: 'decided' },
  { spec: ACTIVATIONS_COLLECTION, keeping: 'decided' },
  { spec: SHARES_COLLECTION, keeping: 'decided' },
  { spec: SAVED_VIEWS_COLLECTION, keeping: 'decided' },
  { spec: ENROLMENT_COUNTS_COLLECTION, keeping: 'decided' },
  { spec: ENROLMENT_USES_COLLECTION, keeping: 'decided' },
  { spec: MAILS_COLLECTION, keeping: 'decided' },
  { spec: GIVEN_UP_MAILS_COLLECTION, keeping: 'decided' },
  { spec: WEBHOOK_NOTICES_COLLECTION, keeping: 'decided' },
  { spec: WEBHOOK_SCHEDULES_COLLECTION, keeping: 'decided' },
  { spec: NOTIFICATION_SETTINGS_COLLECTION, keeping: 'decided' },
  { spec: CONTACT_HOURS_COLLECTION, keeping: 'decided' },
  // A restore must not revive a session that ended after the backup: people sign in again.
  { spec: SESSIONS_COLLECTION, keeping: 'passing' },
  { spec: SIGN_INS_COLLECTION, keeping: 'passing' },
  { spec: SERVICE_TOKEN_USES_COLLECTION, keeping: 'passing' },
  { spec: WEBHOOK_ATTEMPTS_COLLECTION, keeping: 'passing' },
  // After a restore no earlier event is notified again: notifications start at the end of the log.
  { spec: MAILBOXES_COLLECTION, keeping: 'passing' },
  { spec: NOTICE_MARKERS_COLLECTION, keeping: 'passing' },
  { spec: NOTICE_STATES_COLLECTION, keeping: 'passing' },
  { spec: SHARE_DAYS_COLLECTION, keeping: 'passing' },
  { spec: MAIL_DAYS_COLLECTION, keeping: 'passing' },
  { spec: QUOTAS_COLLECTION, keeping: 'passing' },
  { spec: DEVELOPMENT_MAILS_COLLECTION, keeping: 'passing' },
  { spec: TEST_COLLECTION, keeping: 'passing' },
];

/** Every collection of this service that cannot be rebuilt from the log. */
export const NON_VIEWS: readonly CollectionSpec[] = [
  STREAMS_COLLECTION,
  CLAIMS_COLLECTION,
  CLOCK_COLLECTION,
  ...QUERY_COLLECTIONS.map(({ spec }) => spec),
];
