/**
 * The background work: publishes leftover commits and claims, sends notices and mails, removes expired documents, looks
 * at contacts, and follows the feed.
 */
import { Lifecycle, startSweeper } from '@sentinel-node/platform';
import { CONTACT_HOURS_COLLECTION, startContactLooks } from './dashboard/index.ts';
import { ENROLMENT_USES_COLLECTION } from './enrolments/index.ts';
import { MAIL_DAYS_COLLECTION } from './mail/mail-limits.ts';
import { MailboxWriter, notifierOf } from './notifications/index.ts';
import type { Parts } from './parts.ts';
import { ACTIVATIONS_COLLECTION } from './people/index.ts';
import { syslogFollower } from './syslog/index.ts';
import { SESSIONS_COLLECTION, SIGN_INS_COLLECTION, startHousekeeping } from './signin/index.ts';
import { WEBHOOK_ATTEMPTS_COLLECTION, WEBHOOK_NOTICES_COLLECTION } from './webhooks/index.ts';

const EXPIRING = [
  SESSIONS_COLLECTION,
  SIGN_INS_COLLECTION,
  ACTIVATIONS_COLLECTION,
  ENROLMENT_USES_COLLECTION,
  MAIL_DAYS_COLLECTION,
  CONTACT_HOURS_COLLECTION,
  WEBHOOK_NOTICES_COLLECTION,
  WEBHOOK_ATTEMPTS_COLLECTION,
];

export interface Background {
  /** Rejects when a part of the background work failed. */
  readonly failed: Promise<never>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @boundedBy the parts of the service */
export function backgroundOf(parts: Parts): Background {
  const { mail, webhooks, commits, claims, hub, exports, clock, timers, log } = parts;
  const { background, viewsAge } = parts;
  const notifier = notifierOf({
    ...parts,
    store: background.notifier,
    storeOf: background.of,
    mailboxes: new MailboxWriter(background.mailboxes),
    publicUrl: parts.config.publicUrl,
  });
  const { syslog: receiver } = parts.config;
  const syslog = receiver && syslogFollower({ ...parts, syslog: receiver });
  const lifecycle = new Lifecycle((error) => log.fatal({ err: error }, 'background work has stopped'));
  return {
    failed: Promise.race([lifecycle.failed, notifier.failed, ...(syslog ? [syslog.failed] : [])]),
    start: async () => {
      await viewsAge.start(timers);
      lifecycle.run(
        viewsAge,
        await startSweeper(commits, clock, timers),
        await startSweeper(claims, clock, timers),
        mail.start(),
        webhooks.start(),
        ...exports.start(timers),
        startHousekeeping(parts, EXPIRING),
        startContactLooks(parts),
      );
      await hub.start();
      // Before the first notice of this process: where it begins is the end of the topic.
      await syslog?.start();
      await notifier.start();
    },
    stop: async () => {
      await hub.stop();
      await Promise.all([notifier.stop(), syslog?.stop()]);
      // Together: a look for mails can wait for a slow server, which `mail.stop` cuts short.
      await Promise.all([mail.stop(), webhooks.stop(), lifecycle.stop()]);
    },
  };
}
