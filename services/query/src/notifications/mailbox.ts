/** Waiting notices of one recipient, and the mails made of them. Pure: the time is a parameter. */
import type { Notice, NoticeType } from './notice.ts';
import { causeId } from './notice-id.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { freeFrom, joinedHours, type PersonsHours, type RuleHours } from './schedule.ts';

const HOUR_MS = 3_600_000;

/** A notice with the settings that the matching rules give it for this recipient. */
export interface Waiting {
  readonly notice: Notice;
  /** Name of the rule that reports the notice first. */
  readonly rule: string;
  /** When true, a recipient with a user account cannot switch the notice off. */
  readonly required: boolean;
  /** When true, the notice gets its own mail while few notices wait. */
  readonly single: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly addedAt: number;
  /** After the quiet hours, if nothing delays the mail. */
  readonly dueAt: number;
  /**
   * Quiet hours of the rules that report the notice: a mail that is delayed waits for the end of those of one of them. Absent when a
   * rule is urgent, and in mailboxes of earlier versions.
   */
  readonly hours?: readonly RuleHours[];
}

/** Counts of the notices beyond `NOTIFICATION_LIMITS.waiting`. */
export interface Overflow {
  readonly count: number;
  readonly types: Readonly<Partial<Record<NoticeType, number>>>;
  readonly required: boolean;
  readonly addedAt: number;
  readonly dueAt: number;
  /** As in `Waiting`, of all the notices. */
  readonly hours?: readonly RuleHours[];
}

/** One mail. It is stored before it is sent, so that it has the same id and content after a crash. */
export interface Outgoing {
  readonly id: string;
  readonly waiting: readonly Waiting[];
  readonly overflow: Overflow | null;
}

export interface Mailbox {
  /** Id of the recipient (`userRecipient`, `addressRecipient`). */
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** null for a recipient without a user account. */
  readonly userId: string | null;
  readonly address: string | null;
  /** By topic and partition of the log: the offset after the last record whose notices were added. */
  readonly seen: Readonly<Record<string, number>>;
  /** Ids of the newest notices of records. */
  readonly recent: readonly string[];
  /** Ids of the newest notices that no record caused. Absent in mailboxes of earlier versions, whose `recent` has them. */
  readonly recentOfLooks?: readonly string[];
  readonly waiting: readonly Waiting[];
  readonly overflow: Overflow | null;
  readonly sending: readonly Outgoing[];
  /** Times of the mails of the last hour, oldest first. */
  readonly sentAt: readonly number[];
  /** When the last mail about a storm was made; 0 when there was none. */
  readonly stormAt: number;
  /** When the mailbox is due next; absent when nothing waits. */
  readonly nextAt?: number;
  /**
   * The latest time in it at which something was added or sent: ahead of now when the clock was set back since, so that `nextAt` says
   * nothing. Absent when nothing waits, and in mailboxes of earlier versions.
   */
  readonly setAt?: number;
}

export type Recipient = Pick<Mailbox, 'id' | 'orgId' | 'userId' | 'address'>;

export const emptyMailbox = ({ id, orgId, userId, address }: Recipient): Mailbox => ({
  id,
  rev: 0,
  orgId,
  userId,
  address,
  seen: {},
  recent: [],
  waiting: [],
  overflow: null,
  sending: [],
  sentAt: [],
  stormAt: 0,
});

/** Position of the record that caused a notice; `next` is the offset after that record. */
export interface LogPlace {
  readonly partition: string;
  readonly next: number;
}

export interface Addition {
  readonly waiting: Waiting;
  /** Absent when no record caused the notice. */
  readonly place?: LogPlace;
}

/** Returns whether all these notices were added before. */
export function holdsAll(mailbox: Mailbox, additions: readonly Addition[]): boolean {
  const known = knownIds(mailbox);
  return additions.every(
    ({ waiting, place }) =>
      isOfSeenRecord(mailbox, place) || (place === undefined && known.has(waiting.notice.id)),
  );
}

const knownIds = ({ recent, recentOfLooks = [] }: Mailbox): Set<string> =>
  new Set([...recent, ...recentOfLooks]);

const isOfSeenRecord = ({ seen }: Mailbox, place: LogPlace | undefined): boolean =>
  place !== undefined && place.next <= (seen[place.partition] ?? 0);

/** Adds new notices. Records and notices that were added before are ignored. */
export function withAdditions(mailbox: Mailbox, additions: readonly Addition[]): Mailbox {
  const seen = { ...mailbox.seen };
  const known = knownIds(mailbox);
  const recent = [...mailbox.recent];
  // Apart, so that a storm of records does not push them out: nothing else says that a look has told them.
  const recentOfLooks = [...(mailbox.recentOfLooks ?? [])];
  const waiting = [...mailbox.waiting];
  let { overflow } = mailbox;
  for (const { waiting: one, place } of additions) {
    if (isOfSeenRecord(mailbox, place)) continue;
    if (place !== undefined) seen[place.partition] = place.next;
    if (known.has(one.notice.id)) continue;
    known.add(one.notice.id);
    (place === undefined ? recentOfLooks : recent).push(one.notice.id);
    waiting.push(one);
    if (waiting.length <= NOTIFICATION_LIMITS.waiting) continue;
    // Of all, the notice that is due last is only counted: no summary takes the place of what is due now.
    const last = latestOf(waiting);
    waiting.splice(waiting.indexOf(last), 1);
    overflow = withOneMore(overflow, last);
  }
  return withNextLook({
    ...mailbox,
    seen,
    waiting,
    overflow,
    recent: recent.slice(-NOTIFICATION_LIMITS.recent),
    ...(recentOfLooks.length > 0 && {
      recentOfLooks: recentOfLooks.slice(-NOTIFICATION_LIMITS.recentOfLooks),
    }),
  });
}

/** Returns the notice that is due last; of several, the newest one. */
const latestOf = (waiting: readonly Waiting[]): Waiting =>
  waiting.reduce((last, one) => (one.dueAt >= last.dueAt ? one : last));

function withOneMore(overflow: Overflow | null, one: Waiting): Overflow {
  const { notice, required, addedAt, dueAt } = one;
  const { type } = notice;
  const hours = overflow === null ? one.hours : joinedHours(overflow.hours, one.hours);
  const held = hours !== undefined && { hours };
  if (overflow === null) return { count: 1, types: { [type]: 1 }, required, addedAt, dueAt, ...held };
  return {
    count: overflow.count + 1,
    types: { ...overflow.types, [type]: (overflow.types[type] ?? 0) + 1 },
    required: overflow.required || required,
    addedAt: Math.min(overflow.addedAt, addedAt),
    dueAt: Math.min(overflow.dueAt, dueAt),
    ...held,
  };
}

function withNextLook(mailbox: Mailbox, notBefore = 0): Mailbox {
  const { nextAt = 0, setAt: _, ...rest } = mailbox;
  const { waiting, overflow, sending, sentAt } = mailbox;
  const times = [...waiting, ...(overflow === null ? [] : [overflow])].map(({ dueAt }) => dueAt);
  // Mails that were made keep their time, whatever comes meanwhile: until then a process hands them on, or a limit holds them.
  const first = sending.length > 0 ? nextAt : Math.min(...times);
  if (first === Infinity) return rest;
  const setAt = Math.max(0, ...waiting.map(({ addedAt }) => addedAt), overflow?.addedAt ?? 0, ...sentAt);
  return { ...rest, nextAt: Math.max(first, notBefore), setAt };
}

/** Moves what a clock added that was set back since to now, with its wait, and forgets what was sent by that clock. */
function byPresentClock(mailbox: Mailbox, now: number): Mailbox {
  const isAhead = (at: number): boolean => at > now + NOTIFICATION_LIMITS.clocksDifferMs;
  const moved = <T extends Waiting | Overflow>(one: T): T =>
    isAhead(one.addedAt) ? { ...one, addedAt: now, dueAt: one.dueAt - (one.addedAt - now) } : one;
  const { waiting, overflow, sentAt, stormAt } = mailbox;
  return {
    ...mailbox,
    waiting: waiting.map(moved),
    overflow: overflow === null ? null : moved(overflow),
    sentAt: sentAt.filter((at) => !isAhead(at)),
    stormAt: isAhead(stormAt) ? 0 : stormAt,
  };
}

/** Returns whether a recipient gets what rules require also with mails switched off: who is no user never agreed to it. */
export const canBeRequired = ({ userId }: Pick<Recipient, 'userId'>): boolean => userId !== null;

/** Drops notices that no rule requires, because the recipient has switched mails off. */
export function withoutOptional(mailbox: Mailbox): Mailbox {
  if (!canBeRequired(mailbox)) return emptied(mailbox);
  // Also of mails that were made and wait for the next hour.
  const sending = mailbox.sending
    .filter(hasRequired)
    .map((outgoing) => ({ ...outgoing, ...requiredOf(outgoing) }));
  return withNextLook({ ...mailbox, ...requiredOf(mailbox), sending });
}

type Held = Pick<Mailbox, 'waiting' | 'overflow'>;

export const hasRequired = ({ waiting, overflow }: Held): boolean =>
  waiting.some(({ required }) => required) || overflow?.required === true;

const requiredOf = ({ waiting, overflow }: Held): Held => ({
  waiting: waiting.filter(({ required }) => required),
  overflow: overflow?.required === true ? overflow : null,
});

/** Drops all notices, because the recipient no longer exists or wants none. */
export const emptied = (mailbox: Mailbox): Mailbox =>
  withNextLook({ ...mailbox, waiting: [], overflow: null, sending: [] });

/** Returns the quiet hours that hold up a mail; undefined when a notice in it is urgent. */
export const hoursOfMail = ({ waiting, overflow }: Held): readonly RuleHours[] | undefined =>
  [...waiting, ...(overflow === null ? [] : [overflow])].map(({ hours }) => hours).reduce(joinedHours);

/**
 * Moves due notices into mails, unless a storm or the hourly limit delays them. What was delayed into quiet hours is due at their end.
 * @param person the recipient's own setting of the moment, if any
 */
export function withMails(before: Mailbox, now: number, person?: PersonsHours): Mailbox {
  if (before.sending.length > 0) return before;
  const given = byPresentClock(before, now);
  const afterHours = <T extends Waiting | Overflow>(one: T): T =>
    one.dueAt > now ? one : { ...one, dueAt: Math.max(one.dueAt, heldUntil(now, one.hours, person)) };
  const waiting = given.waiting.map(afterHours);
  const overflow = given.overflow === null ? null : afterHours(given.overflow);
  const mailbox = { ...given, waiting, overflow };
  if (Math.min(...waiting.map(({ dueAt }) => dueAt), overflow?.dueAt ?? Infinity) > now)
    return withNextLook(mailbox);
  const sentAt = mailbox.sentAt.filter((at) => at > now - HOUR_MS);
  const { settleMs, storm } = NOTIFICATION_LIMITS;
  // A single notice that still waits for others of its moment goes with them.
  const isDue = ({ dueAt, single }: Waiting): boolean => dueAt <= now + (single ? settleMs : 0);
  const due = waiting.filter(isDue);
  const counted = overflow !== null && overflow.dueAt <= now + settleMs ? overflow : null;
  const wait = waitsUntil({ waiting: due, overflow: counted, stormAt: mailbox.stormAt }, sentAt, now);
  if (wait > now) return withNextLook({ ...mailbox, sentAt }, wait);
  const sending = mailsOf(mailbox.id, due, counted, now);
  const isStorm = countOf(due, counted) >= storm;
  return withNextLook({
    ...mailbox,
    waiting: waiting.filter((one) => !isDue(one)),
    overflow: counted === null ? overflow : null,
    sending,
    sentAt: [...sentAt, ...sending.map(() => now)],
    stormAt: isStorm ? now : mailbox.stormAt,
  });
}

/** Returns the end of the quiet hours that `now` is in; 0 when it is in none. */
function heldUntil(now: number, hours: Waiting['hours'], person: PersonsHours | undefined): number {
  const free = freeFrom(now, hours, person);
  return free > now ? free : 0;
}

const countOf = (waiting: readonly Waiting[], overflow: Overflow | null): number =>
  waiting.length + (overflow?.count ?? 0);

/** Returns when the notices that are due may go: a storm is gathered, and an hour has so many mails. */
function waitsUntil(
  { waiting, overflow, stormAt }: Pick<Mailbox, 'waiting' | 'overflow' | 'stormAt'>,
  sentAt: readonly number[],
  now: number,
): number {
  const { mailsPerHour, single, storm, stormMs, longStormMs } = NOTIFICATION_LIMITS;
  // Leave room for the most mails that one search makes.
  const over = sentAt.length + single - mailsPerHour;
  if (over > 0) return sentAt[over - 1]! + HOUR_MS;
  if (countOf(waiting, overflow) < storm) return now;
  const first = Math.min(...waiting.map(({ addedAt }) => addedAt), overflow?.addedAt ?? Infinity);
  return first + (stormAt > now - 2 * longStormMs ? longStormMs : stormMs);
}

function mailsOf(id: string, due: readonly Waiting[], overflow: Overflow | null, now: number): Outgoing[] {
  const areFew = overflow === null && due.length <= NOTIFICATION_LIMITS.single;
  if (areFew && due.every(({ single }) => single))
    return due.map((one) => ({
      id: causeId(now, 'mail', id, one.notice.id),
      waiting: [one],
      overflow: null,
    }));
  const ids = due.map(({ notice }) => notice.id);
  return [{ id: causeId(now, 'mails', id, ...ids), waiting: due, overflow }];
}

/** Removes mails that were handed to the outbox. */
export function withoutMails(mailbox: Mailbox, ids: readonly string[]): Mailbox {
  return withNextLook({ ...mailbox, sending: mailbox.sending.filter(({ id }) => !ids.includes(id)) });
}

/** Delays the next search of the mailbox to `at`. */
export const delayedUntil = (mailbox: Mailbox, at: number): Mailbox => withNextLook(mailbox, at);
