import type { OwnCollection } from '@sentinel-node/platform';
import { SHARE_DAYS_COLLECTION, SHARES_COLLECTION } from './claims/index.ts';
import { ACTIVATIONS_COLLECTION } from './commands/activations.ts';
import { DEVICE_SEATS_COLLECTION } from './commands/device-seats.ts';
import { RESERVATIONS_COLLECTION } from './commands/reservations.ts';
import { TEST_COLLECTION } from './http/test.ts';
import { DEVELOPMENT_MAILS_COLLECTION } from './mail/development-mailer.ts';
import { MAILS_COLLECTION } from './mail/outbox.ts';
import { SESSIONS_COLLECTION } from './signin/sessions.ts';
import { SIGN_INS_COLLECTION } from './signin/sign-ins.ts';

/** What this service writes beside views, streams and claims. */
export const QUERY_COLLECTIONS: readonly OwnCollection[] = [
  { spec: RESERVATIONS_COLLECTION, keeping: 'decided' },
  { spec: ACTIVATIONS_COLLECTION, keeping: 'decided' },
  { spec: SHARES_COLLECTION, keeping: 'decided' },
  { spec: MAILS_COLLECTION, keeping: 'decided' },
  // A session that was ended after the backup must not live again: people sign in anew.
  { spec: SESSIONS_COLLECTION, keeping: 'passing' },
  { spec: SIGN_INS_COLLECTION, keeping: 'passing' },
  { spec: SHARE_DAYS_COLLECTION, keeping: 'passing' },
  { spec: DEVICE_SEATS_COLLECTION, keeping: 'passing' },
  { spec: DEVELOPMENT_MAILS_COLLECTION, keeping: 'passing' },
  { spec: TEST_COLLECTION, keeping: 'passing' },
];
