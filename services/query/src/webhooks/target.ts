/**
 * Delivers notices to webhooks through the store, so that no notice is lost by a crash or an absent receiver.
 */
import { setMaxListeners } from 'node:events';
import type { WebhookEntity } from '@sentinel-node/contracts';
import {
  FairTurns,
  HttpSender,
  AddressRules,
  ignoreTransient,
  isTransient,
  OverloadedError,
  type Clock,
  type Config,
  type DocumentStore,
  type Log,
  type Metrics,
  type Random,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import type { Notice, NoticeTargets } from '../notifications/index.ts';
import { VIEWS } from '../views/index.ts';
import { AttemptLog } from './attempts.ts';
import { webhookCounts, type WebhookCounts } from './counts.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { NoticeQueue, type NoticesByWebhook } from './queue.ts';
import { runWebhook, type RunOptions } from './run-webhook.ts';
import { Schedules, type Schedule } from './schedules.ts';
import { WebhookSecrets } from './secrets.ts';
import { WebhookSender } from './sender.ts';
import { noticesFor } from './shapes/index.ts';

export interface WebhookTargetOptions {
  readonly store: DocumentStore;
  /** Returns the store for the notices of one organisation. */
  readonly storeOf: (orgId: string) => DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly config: Pick<Config, 'publicUrl' | 'webhookPrivateTargets'>;
  readonly secrets: { readonly masterSecret: string };
  /** Disables a webhook whose receiver answered 410; false when it has another URL by now. */
  readonly disable: (webhook: WebhookEntity) => Promise<boolean>;
  /** Absent: a sender by the operator's address rules. */
  readonly http?: HttpSender;
}

/** @pool webhooks-under-way */
export class WebhookTarget implements NoticeTargets {
  readonly queue: NoticeQueue;
  readonly schedules: Schedules;
  readonly attempts: AttemptLog;
  readonly webhookSecrets: WebhookSecrets;
  readonly #options: WebhookTargetOptions;
  readonly #run: RunOptions;
  readonly #counts: WebhookCounts;
  readonly #stopping = new AbortController();
  /** @pool webhooks-under-way */
  readonly #turns = new FairTurns({
    unit: 'webhooks',
    whole: WEBHOOK_LIMITS.atOnce,
    waiting: WEBHOOK_LIMITS.waitingWebhooks,
    waitMs: WEBHOOK_LIMITS.turnMs,
  });
  /** Runs that send or wait for their turn, by webhook. @pool webhooks-under-way */
  readonly #running = new Map<string, Promise<void>>();
  #looking: Promise<void> = Promise.resolve();
  #woken = false;
  /** Notices left out since the last search, by webhook. @boundedBy the webhooks of the organisations */
  readonly #leftOut = new Map<string, { readonly orgId: string; notices: number }>();
  #repeating: Repeating | undefined;
  #failed: { readonly error: unknown } | undefined;

  constructor(options: WebhookTargetOptions) {
    const { store, clock, random, log, metrics, config, secrets, disable } = options;
    this.#options = options;
    this.#counts = webhookCounts(metrics);
    this.queue = new NoticeQueue(store, clock, this.#counts);
    this.schedules = new Schedules(store, clock);
    this.attempts = new AttemptLog(store, random);
    this.webhookSecrets = new WebhookSecrets(secrets.masterSecret, random);
    const http = options.http ?? new HttpSender({ rules: new AddressRules(config.webhookPrivateTargets) });
    const { publicUrl } = config;
    const sender = new WebhookSender({ store, clock, http, secrets: this.webhookSecrets, publicUrl });
    const { queue, schedules, attempts } = this;
    const { signal } = this.#stopping;
    // Every request under way listens to the signal until it ends.
    setMaxListeners(WEBHOOK_LIMITS.atOnce * WEBHOOK_LIMITS.lanes, signal);
    const counts = this.#counts;
    this.#run = { queue, schedules, attempts, sender, counts, clock, random, log, disable, signal };
  }

  /** Number of webhooks that are sent to now. */
  get used(): number {
    return this.#turns.used;
  }

  /** @throws OverloadedError when the notice was not kept */
  async enqueue(webhookId: string, notice: Notice): Promise<void> {
    const leftOut = await this.enqueueAll(notice.orgId, new Map([[webhookId, [notice]]]));
    if (leftOut.size > 0) throw new OverloadedError('too many notices wait for webhooks');
  }

  /** As `NoticeTargets`. Drops notices for a webhook that is disabled, deleted or of another organisation. */
  async enqueueAll(orgId: string, notices: NoticesByWebhook): Promise<Map<string, number>> {
    const store = this.#options.storeOf(orgId);
    const found = await store.getMany(VIEWS.webhooks, [...notices.keys()]);
    const usable = found.filter((one) => one.orgId === orgId && one.enabled && !one.isDeleted);
    const own = new Map(usable.map(({ id, shape }) => [id, noticesFor(shape, notices.get(id)!)]));
    const leftOut = await this.queue.through(store).add(orgId, own);
    for (const [id, count] of leftOut) this.#leaveOut(id, orgId, count);
    const added = [...own.keys()].filter((id) => (leftOut.get(id) ?? 0) < own.get(id)!.length);
    if (added.length === 0) return leftOut;
    await this.schedules.through(store).wake(orgId, added);
    this.wake();
    return leftOut;
  }

  start(): Repeating {
    const look = ignoreTransient(
      () => this.look(),
      (err) => this.#options.log.warn({ err }, 'due webhooks cannot be looked for; trying again'),
    );
    this.#repeating ??= this.#options.timers.every(WEBHOOK_LIMITS.pollMs, look);
    this.wake();
    return this.#repeating;
  }

  /** Aborts the requests under way; their notices are sent again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#repeating?.stop();
    await this.#looking;
    await this.idle();
  }

  /** Resolves when no webhook is being sent to. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Starts a search soon. A failure of the store is reported by the next poll. */
  wake(): void {
    if (this.#woken || this.#stopping.signal.aborted) return;
    this.#woken = true;
    void this.look().catch(() => undefined);
  }

  /**
   * Starts a run for each due webhook; searches never overlap. @throws the error that ended a run
   * unexpectedly
   */
  look(): Promise<void> {
    const next = this.#looking.then(async () => {
      this.#woken = false;
      if (this.#failed !== undefined) throw this.#failed.error;
      if (this.#stopping.signal.aborted) return;
      await this.#storeLeftOut();
      for (const schedule of await this.schedules.due()) this.#begin(schedule);
    });
    this.#looking = next.catch(() => undefined);
    return next;
  }

  /** Counts notices left out. The next search stores the sums, so that a storm writes once a second. */
  #leaveOut(webhookId: string, orgId: string, count: number): void {
    this.#counts.undelivered('no_room', count);
    const { notices } = this.#leftOut.get(webhookId) ?? { notices: 0 };
    this.#leftOut.set(webhookId, { orgId, notices: notices + count });
  }

  async #storeLeftOut(): Promise<void> {
    for (const [webhookId, { orgId, notices }] of [...this.#leftOut]) {
      await this.schedules.addLeftOut(webhookId, orgId, notices);
      const now = this.#leftOut.get(webhookId)?.notices ?? notices;
      if (now === notices) this.#leftOut.delete(webhookId);
      else this.#leftOut.set(webhookId, { orgId, notices: now - notices });
    }
  }

  #runOf(orgId: string): RunOptions {
    const store = this.#options.storeOf(orgId);
    const { queue, schedules, attempts, sender } = this.#run;
    return {
      ...this.#run,
      queue: queue.through(store),
      schedules: schedules.through(store),
      attempts: attempts.through(store),
      sender: sender.through(store),
    };
  }

  #begin({ id, orgId }: Schedule): void {
    if (this.#running.has(id)) return;
    const running = this.#send(id, orgId).finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  /**
   * Runs one webhook and never rejects: transient errors are retried by the next search, which throws any
   * other error.
   */
  async #send(webhookId: string, orgId: string): Promise<void> {
    try {
      const release = await this.#turns.take(orgId);
      try {
        if (!this.#stopping.signal.aborted) await runWebhook(this.#runOf(orgId), webhookId);
      } finally {
        release();
      }
    } catch (error) {
      if (!isTransient(error)) this.#failed = { error };
    }
  }
}
