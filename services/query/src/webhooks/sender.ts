/** Makes one attempt to deliver a notice. */
import { webhookStream, type WebhookEntity } from '@sentinel-node/contracts';
import {
  loadStream,
  TargetRefusedError,
  TargetUnavailableError,
  type Clock,
  type DocumentStore,
  type HttpSender,
  type SenderSession,
} from '@sentinel-node/platform';
import type { Notice } from '../notifications/index.ts';
import { validSecrets } from '../registry/webhook.ts';
import type { Target, WebhookSecrets } from './secrets.ts';
import { SHAPES } from './shapes/index.ts';
import { signatureHeaders } from './signature.ts';
import { noAnswer, verdictOf, type Verdict } from './verdict.ts';

export interface SenderOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly http: HttpSender;
  readonly secrets: WebhookSecrets;
  readonly publicUrl: string;
}

/** A webhook with its open connection. */
export interface Receiver {
  readonly entity: WebhookEntity;
  readonly target: Target;
  readonly session: SenderSession;
}

export interface Sent {
  readonly verdict: Verdict;
  readonly status: number | null;
  readonly ms: number;
  readonly answer: string;
}

export class WebhookSender {
  readonly #options: SenderOptions;
  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Returns the same sender through another handle of the store. */
  through(store: DocumentStore): WebhookSender {
    return new WebhookSender({ ...this.#options, store });
  }

  /** Reads the current state; undefined when the webhook was deleted. */
  async load(webhookId: string): Promise<WebhookEntity | undefined> {
    const found = await loadStream<WebhookEntity>(this.#options.store, webhookStream(webhookId));
    return found === undefined || found.entity.deleted ? undefined : found.entity;
  }

  /** @throws SealBrokenError when the target was sealed with another master secret */
  open(entity: WebhookEntity): Receiver {
    const { http, secrets } = this.#options;
    return { entity, target: secrets.open(entity, entity.sealedTarget), session: http.open() };
  }

  /** Returns undefined when `signal` aborted the attempt. */
  async send(receiver: Receiver, notice: Notice, signal: AbortSignal): Promise<Sent | undefined> {
    const { clock } = this.#options;
    const before = clock.now();
    try {
      const answer = await receiver.session.post({ ...this.#message(receiver, notice), signal });
      const now = clock.now();
      const text = new TextDecoder().decode(answer.body).replaceAll('\0', '\ufffd');
      return { verdict: verdictOf(answer, now), status: answer.status, ms: now - before, answer: text };
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof TargetRefusedError || error instanceof TargetUnavailableError)) throw error;
      return { verdict: noAnswer(error.message), status: null, ms: clock.now() - before, answer: '' };
    }
  }

  #message(
    { entity, target }: Receiver,
    notice: Notice,
  ): { url: string; headers: Readonly<Record<string, string>>; body: string } {
    const { clock, secrets, publicUrl } = this.#options;
    const { contentType, format } = SHAPES[entity.shape];
    const { url, routingKey } = target;
    const body = JSON.stringify(
      format(notice, { publicUrl, ...(routingKey !== undefined && { routingKey }) }),
    );
    const now = clock.now();
    const keys = validSecrets(entity, now).map((version) => secrets.key(entity, version));
    const signed = signatureHeaders(keys, { id: notice.id, timestamp: Math.floor(now / 1_000), body });
    const headers = { 'content-type': contentType, 'user-agent': 'Sentinel-Node-Webhooks/1', ...signed };
    return { url, headers, body };
  }
}
