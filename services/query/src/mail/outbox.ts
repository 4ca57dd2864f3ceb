/**
 * Keeps mails in the store until the mail server takes them, so that neither a crash nor an outage of the server loses
 * a mail.
 */
import { UUID_RANDOM_BYTES, uuidV7 } from '@sentinel-node/contracts';
import {
  MailDeferredError,
  MailRefusedError,
  OverloadedError,
  ignoreTransient,
  isTransient,
  inLanes,
  type Clock,
  saveIfCurrent,
  type DocumentStore,
  type Log,
  type Mailer,
  type MailMessage,
  type Metrics,
  type Query,
  type Random,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import type { Destination, MailCondition, RecipientNow } from './condition.ts';
import { keepGivenUp } from './given-up.ts';
import { MailCounts, type OldestMails } from './mail-counts.ts';
import { madeAt, MAILS_COLLECTION, type QueuedMail } from './queued-mail.ts';

export const MAIL_LIMITS = {
  /** The most waiting mails. */
  queued: 10_000,
  /** Mails that one sweep takes. */
  batch: 100,
  /** Mails that are handed to the server in parallel. */
  atOnce: 4,
  /** Time between two sweeps. */
  pollMs: 1_000,
  /** A mail may be written this long before the commit that it belongs to. */
  commitMs: 60_000,
  /** When a mail is looked at again whose recipient could not be told. */
  unsureMs: 60_000,
  /** How long a sender owns a mail before another sender may try; longer than the longest call of a mailer. */
  leaseMs: 150_000,
  /** How long `stop` waits for a mail being sent; the next start sends the mail again. */
  stopMs: 2_000,
  /** How far the clocks of processes may differ. A time that was set further ahead than this is of a clock that was set back since. */
  clocksDifferMs: 60_000,
  /** Time between two looks for mails that such a clock made due later. */
  lookAheadEveryMs: 30_000,
  firstRetryMs: 2_000,
  longestRetryMs: 900_000,
  /**
   * Permanent refusals before a mail is given up. Some servers call a temporary refusal permanent; ten attempts take
   * over half an hour.
   */
  refusals: 10,
  /** A mail this old is given up, because its link has expired. */
  keptMs: 7 * 24 * 3_600_000,
} as const;

export interface MailOutboxOptions {
  readonly store: DocumentStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
  readonly recipientNow: RecipientNow;
  readonly metrics?: Pick<Metrics, 'counter' | 'observedGauge'>;
}

/** @pool mails */
export class MailOutbox {
  readonly #options: MailOutboxOptions;
  readonly #counts: MailCounts;
  readonly #stopping = new AbortController();
  #delivering: Promise<void> = Promise.resolve();
  #sending = 0;
  /** When a sweep last looked for mails of a clock that was set back. */
  #lookedAheadAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #woken = false;
  #repeating: Repeating | undefined;

  constructor(options: MailOutboxOptions) {
    this.#options = options;
    this.#counts = new MailCounts({
      clock: options.clock,
      metrics: options.metrics,
      oldest: () => oldestNotTaken(options.store),
    });
  }

  /**
   * Stores a mail; it is durable when the promise resolves, and `wake` sends it soon. A waiting mail with the same id
   * is kept.
   * @param condition what must hold when the mail is sent; null: it is sent in any case
   * @throws OverloadedError when too many mails wait, or the organisation has as many as there is room left (as
   * `FairPool`)
   */
  async prepare(orgId: string, message: MailMessage, condition: MailCondition | null): Promise<void> {
    const { store, clock, random } = this.#options;
    const [waiting, own] = await Promise.all([
      store.count(MAILS_COLLECTION.name),
      store.count(MAILS_COLLECTION.name, { orgId }),
    ]);
    if (own + 1 > MAIL_LIMITS.queued - waiting - 1)
      throw new OverloadedError('too many mails wait for the mail server');
    const at = clock.now();
    const id = message.id ?? uuidV7(at, random.bytes(UUID_RANDOM_BYTES));
    const tries = { attempts: 0, refusals: 0 };
    const mail: QueuedMail = {
      ...message,
      ...tries,
      id,
      rev: 1,
      at,
      nextAt: at,
      setAt: at,
      condition,
      orgId,
    };
    await store.insertMissing(MAILS_COLLECTION.name, [mail]);
  }

  start(): Repeating {
    this.#repeating ??= this.#options.timers.every(
      MAIL_LIMITS.pollMs,
      ignoreTransient(
        () => this.deliver(),
        (err) => this.#options.log.warn({ err }, 'waiting mails cannot be looked for; trying again'),
      ),
    );
    this.wake();
    return this.#repeating;
  }

  async stop(): Promise<void> {
    const { timers, mailer } = this.#options;
    this.#isStopping = true;
    const ended = Promise.all([this.#repeating?.stop(), this.#delivering]);
    if (this.#sending > 0) await Promise.race([ended, timers.delay(MAIL_LIMITS.stopMs)]);
    this.#stopping.abort();
    await ended;
    mailer.close?.();
  }

  /** Starts a sweep soon. When the store fails, the next poll reports the failure. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    void this.deliver().catch(() => undefined);
  }

  /** Sends the due mails; sweeps never overlap. */
  deliver(): Promise<void> {
    const run = async (): Promise<void> => {
      this.#woken = false;
      await this.#deliverDue();
    };
    const next = this.#delivering.then(run);
    this.#delivering = next.catch(() => undefined);
    return next;
  }

  async #deliverDue(): Promise<void> {
    await this.#counts.look();
    const now = this.#options.clock.now();
    const due = [...(await this.#find({ nextAt: { lte: now } })), ...(await this.#ahead(now))];
    await inLanes(MAIL_LIMITS.atOnce, due, async (mail) => {
      if (!this.#isStopping) await this.#deliverOne(mail);
    });
  }

  #find(where: NonNullable<Query['where']>): Promise<QueuedMail[]> {
    const sort = { field: 'nextAt', direction: 'asc' } as const;
    return this.#options.store.find(MAILS_COLLECTION.name, { where, sort, limit: MAIL_LIMITS.batch });
  }

  /** Returns mails that a clock which was set back since made due later, as waiting from now; looks now and then, and at once after that. */
  async #ahead(now: number): Promise<QueuedMail[]> {
    if (Math.abs(now - this.#lookedAheadAt) < MAIL_LIMITS.lookAheadEveryMs) return [];
    const found = await this.#find({ nextAt: { gt: now }, setAt: { gt: now + MAIL_LIMITS.clocksDifferMs } });
    if (found.length < MAIL_LIMITS.batch) this.#lookedAheadAt = now;
    return found.map((mail) => ({
      ...mail,
      at: Math.min(mail.at, now),
      ...(mail.madeAt !== undefined && { madeAt: Math.min(mail.madeAt, now) }),
    }));
  }

  async #deliverOne(mail: QueuedMail): Promise<void> {
    // Also during a sweep: a server that hangs makes it last for most of an hour.
    await this.#counts.look();
    const { clock, log, store } = this.#options;
    const recipient = await this.#recipientOf(mail);
    if (recipient === undefined) return void (await this.#later(mail, MAIL_LIMITS.unsureMs));
    const { to, notBefore } = recipient;
    const limit = to === undefined ? MAIL_LIMITS.commitMs : MAIL_LIMITS.keptMs;
    if (clock.now() - madeAt(mail) > limit) {
      if (to !== undefined) {
        const about = { mailId: mail.id, attempts: mail.attempts };
        log.error(about, 'a mail was not taken in time; it is given up');
        await keepGivenUp(store, mail, 'NOT_TAKEN', clock.now());
        this.#counts.givenUp('NOT_TAKEN');
      }
      return this.#forget(mail);
    }
    if (to === undefined) return void (await this.#later(mail, MAIL_LIMITS.pollMs));
    if (notBefore !== undefined) return void (await this.#hold(mail, notBefore));
    const leased = await this.#later({ ...mail, to }, MAIL_LIMITS.leaseMs);
    if (leased !== undefined) await this.#send(leased);
  }

  /** Returns undefined when the recipient cannot be told now, which holds up no other mail. */
  async #recipientOf({ condition, to }: QueuedMail): Promise<Partial<Destination> | undefined> {
    if (condition === null) return { to };
    try {
      return (await this.#options.recipientNow(condition, to)) ?? {};
    } catch (error) {
      if (!isTransient(error)) throw error;
      return undefined;
    }
  }

  /** Keeps a mail until then. That is no time that it waits for the mail server. */
  async #hold(mail: QueuedMail, until: number): Promise<void> {
    await this.#later({ ...mail, at: until, madeAt: madeAt(mail) }, until - this.#options.clock.now());
  }

  async #send(mail: QueuedMail): Promise<void> {
    this.#sending++;
    try {
      await this.#options.mailer.send(messageOf(mail), this.#stopping.signal);
    } catch (error) {
      return await this.#notTaken(mail, error);
    } finally {
      this.#sending--;
    }
    this.#counts.taken();
    await this.#forget(mail);
  }

  async #notTaken(mail: QueuedMail, error: unknown): Promise<void> {
    const { clock, log, store } = this.#options;
    const attempts = mail.attempts + 1;
    const refusals = mail.refusals + (error instanceof MailRefusedError ? 1 : 0);
    const about = { err: error, mailId: mail.id, attempts };
    if (refusals >= MAIL_LIMITS.refusals) {
      log.error(about, 'the mail server refuses a mail for good; it is given up');
      await keepGivenUp(store, mail, 'REFUSED', clock.now());
      this.#counts.givenUp('REFUSED');
      return this.#forget(mail);
    }
    log.warn(about, 'a mail was not taken; it stays');
    const wait = Math.min(MAIL_LIMITS.longestRetryMs, MAIL_LIMITS.firstRetryMs * 2 ** mail.attempts);
    const isDeferred = error instanceof MailDeferredError;
    await this.#later({ ...mail, attempts, refusals, isDeferred }, wait);
  }

  #forget({ id }: QueuedMail): Promise<void> {
    return this.#options.store.remove(MAILS_COLLECTION.name, [id]);
  }

  /** Returns undefined when another sender has taken the mail. */
  async #later(mail: QueuedMail, ms: number): Promise<QueuedMail | undefined> {
    const { store, clock } = this.#options;
    const setAt = clock.now();
    const next = { ...mail, rev: mail.rev + 1, nextAt: setAt + ms, setAt };
    return (await saveIfCurrent(store, MAILS_COLLECTION.name, next, mail.rev)) ? next : undefined;
  }
}

/**
 * Returns since when the oldest mails wait that were not taken, tried or not. Those that are refused for good say nothing about the
 * server. A mail that an earlier version tried does not say where its try ended, and counts as waiting until the next one.
 */
async function oldestNotTaken(store: DocumentStore): Promise<OldestMails> {
  const oldest = async (isDeferred: boolean | { readonly in: readonly [false, null] }) => {
    const [found] = await store.find(MAILS_COLLECTION.name, {
      where: { attempts: { gte: 0 }, refusals: 0, isDeferred },
      sort: { field: 'at', direction: 'asc' },
      limit: 1,
    });
    return found?.at;
  };
  const [waiting, deferred] = await Promise.all([oldest({ in: [false, null] }), oldest(true)]);
  return { waiting, deferred };
}

function messageOf({ id, to, subject, text, html, links, thread, headers }: QueuedMail): MailMessage {
  const message = { id, to, subject, text, html, links };
  return {
    ...message,
    ...(thread === undefined ? {} : { thread }),
    ...(headers === undefined ? {} : { headers }),
  };
}
