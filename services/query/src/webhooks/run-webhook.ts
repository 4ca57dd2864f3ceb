/**
 * Sends due notices to one webhook: in order for each order key, several keys in parallel, for a slice of
 * time.
 */
import { createHash } from 'node:crypto';
import type { WebhookEntity } from '@sentinel-node/contracts';
import {
  chanceOf,
  inLanes,
  SealBrokenError,
  type Clock,
  type Log,
  type Random,
} from '@sentinel-node/platform';
import type { AttemptLog } from './attempts.ts';
import type { WebhookCounts } from './counts.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import type { NoticeQueue, WaitingNotice } from './queue.ts';
import { isAhead, type LastAttempt, type Outcome, type Schedule, type Schedules } from './schedules.ts';
import type { Receiver, Sent, WebhookSender } from './sender.ts';
import { pauseMs, retryMs, type Verdict } from './verdict.ts';

const TAG_CHARS = 16;

export interface RunOptions {
  readonly queue: NoticeQueue;
  readonly schedules: Schedules;
  readonly attempts: AttemptLog;
  readonly sender: WebhookSender;
  readonly counts: WebhookCounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Disables a webhook whose receiver answered 410; false when it has another URL by now. */
  readonly disable: (webhook: WebhookEntity) => Promise<boolean>;
  /** Aborts the requests under way. */
  readonly signal: AbortSignal;
}

/** Sends to a webhook under a lease: if this process ends, another one continues after the lease. */
export async function runWebhook(options: RunOptions, webhookId: string): Promise<void> {
  const { schedules, clock } = options;
  const endsAt = clock.now() + WEBHOOK_LIMITS.sliceMs;
  let outcome: Outcome | undefined;
  for (let schedule = await schedules.take(webhookId); schedule !== undefined;) {
    outcome = await new WebhookRun(options, { ...schedule, ...outcome }, endsAt).send();
    if (outcome === undefined) return schedules.forget(webhookId);
    if (await schedules.finish(schedule, outcome)) return;
    schedule = await schedules.take(webhookId, { isOwn: true });
  }
}

class WebhookRun {
  readonly #options: RunOptions;
  readonly #webhookId: string;
  readonly #endsAt: number;
  #target: string | undefined;
  #failures: number;
  #pausedUntil: number;
  #last: LastAttempt | null;
  #setAt: number;
  /** The receiver answered 410: nothing more is sent to it. */
  #isGone = false;
  #isDisabled = false;
  /** The webhook was disabled or deleted, or has another URL: the next run goes on with it as it is now. */
  #isChanged = false;

  constructor(
    options: RunOptions,
    { id, failures, pausedUntil, last, target, setAt = 0 }: Schedule,
    endsAt: number,
  ) {
    this.#options = options;
    this.#webhookId = id;
    this.#endsAt = endsAt;
    this.#target = target;
    this.#failures = failures;
    this.#pausedUntil = pausedUntil;
    this.#last = last;
    this.#setAt = setAt;
  }

  /**
   * Sends for a slice of time. Returns undefined when the webhook was deleted and all its data were removed.
   */
  async send(): Promise<Outcome | undefined> {
    const { sender, queue } = this.#options;
    const entity = await sender.load(this.#webhookId);
    if (entity === undefined) return this.#forget();
    if (entity.enabled) {
      await this.#startAnew(entity);
      await this.#sendTo(entity);
    }
    if (!entity.enabled || this.#isDisabled) await this.#giveUpAll('the webhook was disabled');
    const next = await queue.nextAt(this.#webhookId);
    const outcome = {
      ...{ failures: this.#failures, pausedUntil: this.#pausedUntil, last: this.#last },
      ...(this.#target !== undefined && { target: this.#target }),
      // When the clock was set back during this run, the next one starts anew.
      setAt: Math.max(this.#setAt, this.#options.clock.now()),
    };
    return next === undefined ? outcome : { ...outcome, nextAt: Math.max(next, this.#pausedUntil) };
  }

  /**
   * Ends the pause, and the waits of notices, that were of another URL, or of a clock that was set back since. Earlier versions did not
   * keep of which URL they were.
   */
  async #startAnew(entity: WebhookEntity): Promise<void> {
    const target = targetTag(entity);
    this.#target ??= target;
    const wasAhead = isAhead({ setAt: this.#setAt, last: this.#last }, this.#options.clock.now());
    if (this.#target === target && !wasAhead) return;
    this.#failures = 0;
    this.#pausedUntil = 0;
    while (await this.#options.queue.retryPage(this.#webhookId)) if (this.#isOver()) return;
    // Only now: a run that ends before has the rest done by the next one.
    this.#target = target;
    if (wasAhead) this.#setAt = 0;
  }

  async #sendTo(entity: WebhookEntity): Promise<void> {
    const { sender, queue, attempts } = this.#options;
    if (this.#isOver()) return;
    const receiver = opened(sender, entity);
    if (receiver === undefined) return this.#giveUpAll('the URL cannot be decrypted; give it again');
    try {
      for (;;) {
        const due = await queue.due(this.#webhookId);
        if (due.length === 0 || this.#isOver()) break;
        await this.#sendPage(receiver, due);
      }
    } finally {
      receiver.session.close();
    }
    await attempts.trim(this.#webhookId);
    await queue.trimDead(this.#webhookId);
  }

  async #sendPage(receiver: Receiver, due: readonly WaitingNotice[]): Promise<void> {
    const keys = [...new Set(due.map(({ orderKey }) => orderKey))];
    await inLanes(WEBHOOK_LIMITS.lanes, keys, async (key) => {
      if (this.#isOver()) return;
      const blockedUntil = await this.#sendInOrder(receiver, key);
      if (blockedUntil === undefined) return;
      for (const notice of due.filter(({ orderKey }) => orderKey === key))
        await this.#behind(notice, blockedUntil);
    });
  }

  /**
   * Sends the notices of one order key. @returns when the first undelivered notice is due; undefined when
   * none waits or the run is over
   */
  async #sendInOrder(receiver: Receiver, orderKey: string): Promise<number | undefined> {
    const { queue, clock } = this.#options;
    for (;;) {
      const head = await queue.head(this.#webhookId, orderKey);
      if (head === undefined || this.#isOver()) return undefined;
      if (head.nextAt > clock.now()) return head.nextAt;
      await this.#sendOne(receiver, head);
    }
  }

  /** Delays a notice until the one before it is due. */
  async #behind(notice: WaitingNotice, until: number): Promise<void> {
    if (notice.nextAt < until) await this.#options.queue.reschedule(notice, until);
  }

  async #sendOne(receiver: Receiver, waiting: WaitingNotice): Promise<void> {
    const { sender, signal, queue, counts } = this.#options;
    const entity = await sender.load(this.#webhookId);
    if (!entity?.enabled || entity.sealedTarget !== receiver.entity.sealedTarget) {
      this.#isChanged = true;
      return;
    }
    const sent = await sender.send({ ...receiver, entity }, waiting.notice, signal);
    // The process is stopping: the notice still waits, and is sent again under the same id.
    if (sent === undefined) return;
    const attempt = waiting.attempts + 1;
    const { kind, problem } = sent.verdict;
    counts.attempt(kind === 'DELIVERED');
    if (kind === 'DELIVERED') await queue.delivered(waiting);
    else if (kind === 'GONE') await this.#gone(entity, waiting, problem ?? '', attempt);
    else await this.#failed(waiting, sent.verdict, attempt);
    this.#remember(sent);
    await this.#logAttempt(waiting, sent, attempt);
  }

  async #gone(
    webhook: WebhookEntity,
    waiting: WaitingNotice,
    problem: string,
    attempt: number,
  ): Promise<void> {
    const { disable, queue, clock } = this.#options;
    this.#isGone = true;
    if (!(await disable(webhook))) return queue.reschedule(waiting, clock.now(), attempt);
    this.#isDisabled = true;
    await queue.giveUp(waiting, problem, attempt);
  }

  async #failed(waiting: WaitingNotice, verdict: Verdict, attempt: number): Promise<void> {
    const { queue, clock, random, log } = this.#options;
    const now = clock.now();
    if (now - waiting.since < WEBHOOK_LIMITS.triedMs)
      return queue.reschedule(waiting, now + retryMs(attempt, verdict, chanceOf(random)), attempt);
    const about = { webhookId: this.#webhookId, orgId: waiting.orgId, noticeId: waiting.notice.id, attempt };
    log.warn(about, 'a notice could not be delivered for three days; it is a dead letter');
    await queue.giveUp(waiting, verdict.problem ?? '', attempt);
  }

  #remember({ verdict, status }: Sent): void {
    const { clock, random } = this.#options;
    const at = clock.now();
    this.#last = { at, delivered: verdict.kind === 'DELIVERED', status, problem: verdict.problem };
    if (verdict.pauses) {
      this.#failures += 1;
      this.#pausedUntil = at + pauseMs(this.#failures, verdict, chanceOf(random));
    } else {
      this.#failures = 0;
    }
  }

  async #logAttempt({ notice }: WaitingNotice, sent: Sent, attempt: number): Promise<void> {
    const { attempts, clock } = this.#options;
    const { verdict, status, ms, answer } = sent;
    const at = clock.now();
    await attempts.add({
      webhookId: this.#webhookId,
      noticeId: notice.id,
      noticeType: notice.type,
      at,
      attempt,
      delivered: verdict.kind === 'DELIVERED',
      status,
      ms,
      answer,
      problem: verdict.problem,
    });
  }

  async #giveUpAll(problem: string): Promise<void> {
    const { queue } = this.#options;
    let more = true;
    while (more) more = await queue.giveUpPage(this.#webhookId, problem);
    await queue.trimDead(this.#webhookId);
  }

  async #forget(): Promise<undefined> {
    const { queue, attempts } = this.#options;
    let more = true;
    while (more) more = await queue.forgetPage(this.#webhookId);
    more = true;
    while (more) more = await attempts.forgetPage(this.#webhookId);
  }

  #isOver(): boolean {
    const now = this.#options.clock.now();
    return (
      this.#isGone ||
      this.#isChanged ||
      this.#options.signal.aborted ||
      now >= this.#endsAt ||
      now < this.#pausedUntil
    );
  }
}

/** Returns a tag of the stored target, whose sealing differs each time that it is given. */
const targetTag = ({ sealedTarget }: WebhookEntity): string =>
  createHash('sha256').update(sealedTarget).digest('base64url').slice(0, TAG_CHARS);

/** Returns undefined when the stored target was sealed with another master secret, or is damaged. */
function opened(sender: WebhookSender, entity: WebhookEntity): Receiver | undefined {
  try {
    return sender.open(entity);
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
