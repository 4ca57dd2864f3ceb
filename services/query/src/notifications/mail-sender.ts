/** Makes mails of due notices and puts them into the durable outbox. */
import { GROUPS, TOPICS, type NotificationSetting } from '@sentinel-node/contracts';
import {
  ApiError,
  inLanes,
  NotCaughtUpError,
  OverloadedError,
  type Clock,
  type DocumentStore,
  type Query,
} from '@sentinel-node/platform';
import type { Destination, NoticeCondition } from '../mail/condition.ts';
import type { MailLimits } from '../mail/mail-limits.ts';
import type { MailOutbox } from '../mail/outbox.ts';
import { organizationOf } from '../people/index.ts';
import { type RegistryViews, VIEWS } from '../views/index.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import {
  canBeRequired,
  emptied,
  delayedUntil,
  hasRequired,
  hoursOfMail,
  withMails,
  withoutMails,
  withoutOptional,
  type Mailbox,
  type Outgoing,
  type Recipient,
} from './mailbox.ts';
import { changedMailbox, changeMailbox, MAILBOXES_COLLECTION } from './mailboxes.ts';
import { noticeMail } from './notice-mail.ts';
import { isNamedByRule } from './rules.ts';
import { freeFrom } from './schedule.ts';
import { settingId, settingsOf, type Unsubscribing } from './settings.ts';

const RETRY_MS = 60_000;
const MS_PER_SECOND = 1_000;

export interface SenderContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly mail: MailOutbox;
  readonly mailLimits: MailLimits;
  readonly publicUrl: string;
  readonly unsubscribing: Unsubscribing;
  readonly views: Pick<RegistryViews, 'areCurrent'>;
}

/** Sends mails to the recipients whose notices are due longest. */
export async function sendDue(context: SenderContext): Promise<void> {
  await sendWhere(context, { nextAt: { lte: context.clock.now() } });
}

/** The same for what a clock that was set back since made due later. */
export async function sendOfClockAhead(context: SenderContext): Promise<void> {
  const now = context.clock.now();
  await sendWhere(context, { nextAt: { gt: now }, setAt: { gt: now + NOTIFICATION_LIMITS.clocksDifferMs } });
}

async function sendWhere(context: SenderContext, where: NonNullable<Query['where']>): Promise<void> {
  const { store } = context;
  const due = await store.find(MAILBOXES_COLLECTION.name, {
    where,
    sort: { field: 'nextAt', direction: 'asc' },
    limit: NOTIFICATION_LIMITS.batch,
  });
  const settings = await settingsOf(store, due);
  await inLanes(NOTIFICATION_LIMITS.atOnce, due, (mailbox) =>
    sendOf(context, mailbox, settings.get(mailbox.id)),
  );
}

/** @boundedBy the mails of one recipient that are under way, NOTIFICATION_LIMITS.single */
async function sendOf(
  context: SenderContext,
  mailbox: Mailbox,
  setting: NotificationSetting | undefined,
): Promise<void> {
  const { store, clock } = context;
  const to = await addressOf(store, mailbox);
  if (to === undefined && !(await context.views.areCurrent())) {
    // Perhaps the views do not have the recipient yet, and what is dropped here is lost.
    await changedMailbox(store, mailbox, delayedUntil(mailbox, clock.now() + RETRY_MS));
    return;
  }
  const wanted = setting?.mails === false ? withoutOptional(mailbox) : mailbox;
  const planned = to === undefined ? emptied(mailbox) : withMails(wanted, clock.now(), setting);
  // Store the mails before they are sent. When another writer was first, the next search finds the mailbox
  // again. Until then they are this process's: another one would count them too, and could send them again.
  const isUnderWay = planned.sending.length > 0;
  const leased = isUnderWay ? delayedUntil(planned, clock.now() + NOTIFICATION_LIMITS.leaseMs) : planned;
  const stored = await changedMailbox(store, mailbox, leased);
  if (stored === undefined || to === undefined) return;
  const done: string[] = [];
  const retryAt = await handOn(context, stored, to, done);
  if (stored.sending.length === 0) return;
  await changeMailbox(store, stored, (now) => {
    const rest = withoutMails(now, done);
    return retryAt === undefined ? rest : delayedUntil(rest, retryAt);
  });
  context.mail.wake();
}

/** Prepares the mails of a mailbox. @returns when to try the rest; undefined when all were prepared */
async function handOn(
  context: SenderContext,
  mailbox: Mailbox,
  to: string,
  done: string[],
): Promise<number | undefined> {
  const { clock, mailLimits } = context;
  for (const outgoing of mailbox.sending) {
    try {
      if (mailbox.userId === null)
        await mailLimits.countNotificationTo(mailbox.orgId, to, NOTIFICATION_LIMITS.mailsPerHour);
      await mailLimits.countNotification(mailbox.orgId);
      await prepare(context, mailbox, to, outgoing);
    } catch (error) {
      const retryMs = retryAfter(error);
      if (retryMs === undefined) throw error;
      return clock.now() + retryMs;
    }
    done.push(outgoing.id);
  }
  return undefined;
}

/** Returns the milliseconds until a retry; undefined for an error that a retry does not solve. */
function retryAfter(error: unknown): number | undefined {
  if (error instanceof OverloadedError) return RETRY_MS;
  if (!(error instanceof ApiError)) return undefined;
  // Other processes count mails at the same moment.
  if (error.code === 'CONFLICT') return RETRY_MS;
  return error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * MS_PER_SECOND;
}

async function prepare(
  { store, mail, publicUrl, unsubscribing }: SenderContext,
  mailbox: Mailbox,
  to: string,
  outgoing: Outgoing,
): Promise<void> {
  const { orgId, userId } = mailbox;
  const organization = (await store.get(VIEWS.organizations, orgId))?.name ?? 'Your organization';
  const unsubscribeUrl = `${publicUrl}/api/v1/notifications/unsubscribe/${unsubscribing.tokenOf(settingId(mailbox))}`;
  const message = noticeMail(outgoing, {
    to,
    organization,
    publicUrl,
    unsubscribeUrl,
    isUser: userId !== null,
  });
  const { id, address } = mailbox;
  const recipient = { id, orgId, userId, address };
  const hours = hoursOfMail(outgoing);
  await mail.prepare(orgId, message, {
    ...{ kind: 'NOTICE', recipient, required: hasRequired(outgoing) },
    ...(hours !== undefined && { hours }),
  });
}

/**
 * Returns where and when a mail that waits for the mail server goes now; undefined when its recipient is gone or wants none. A mail can
 * come to wait within quiet hours: behind the limit of its organisation, or while the mail server is away.
 * @throws NotCaughtUpError when the views do not have every rule yet
 */
export async function noticeRecipient(
  context: Pick<SenderContext, 'store' | 'clock' | 'views'>,
  { recipient, required, hours }: NoticeCondition,
): Promise<Destination | undefined> {
  const setting = (await settingsOf(context.store, [recipient])).get(recipient.id);
  const isWanted = setting?.mails !== false || (required && canBeRequired(recipient));
  const to = isWanted ? await addressNow(context, recipient) : undefined;
  if (to === undefined) return undefined;
  const now = context.clock.now();
  const free = freeFrom(now, hours, setting);
  return free > now ? { to, notBefore: free } : { to };
}

/** @throws NotCaughtUpError when the views do not have every rule yet */
async function addressNow(
  { store, views }: Pick<SenderContext, 'store' | 'views'>,
  recipient: NoticeCondition['recipient'],
): Promise<string | undefined> {
  const { orgId, userId } = recipient;
  // A view can be behind for long after a restore, and what is dropped here is lost.
  if (userId === null) {
    const named = await namedAddress(store, recipient);
    if (named !== undefined) return named;
    if (!(await views.areCurrent()))
      throw new NotCaughtUpError({ group: GROUPS.projector, topic: TOPICS.registry });
    return namedAddress(store, recipient);
  }
  const organization = await organizationOf({ store }, orgId);
  const user = organization?.users.find(({ id }) => id === userId);
  return user?.active === true ? user.emailAddress : undefined;
}

/** Returns the current address; undefined when the recipient is no longer a member, or no rule names the address. */
async function addressOf(store: DocumentStore, mailbox: Mailbox): Promise<string | undefined> {
  const { userId, orgId } = mailbox;
  if (userId === null) return namedAddress(store, mailbox);
  const user = await store.get(VIEWS.users, userId);
  return user?.orgId === orgId && !user.deleted && user.active ? user.emailAddress : undefined;
}

const namedAddress = async (store: DocumentStore, recipient: Recipient): Promise<string | undefined> =>
  recipient.address !== null && (await isNamedByRule(store, recipient)) ? recipient.address : undefined;
