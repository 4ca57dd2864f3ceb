import { AdminSession } from './admin.ts';
import type { ClientContext } from './client.ts';
import { causeMessage } from './errors.ts';

/** Checks repeatedly whether the cluster answers, and the topics have their leaders; for readiness. */
export class Probe {
  readonly #context: ClientContext;
  readonly #topics: readonly string[];
  readonly #session: AdminSession;
  readonly #timer: NodeJS.Timeout;
  #asking: Promise<void> | undefined;
  #answered = true;

  constructor(context: ClientContext, topics: readonly string[]) {
    const { probeIntervalMs, probeTimeoutMs } = context.limits;
    this.#context = context;
    this.#topics = topics;
    this.#session = new AdminSession({
      ...context,
      limits: { ...context.limits, readTimeoutMs: probeTimeoutMs },
    });
    this.#timer = setInterval(() => {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    }, probeIntervalMs);
    this.#timer.unref();
  }

  get answered(): boolean {
    return this.#answered;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    await this.#session.close();
  }

  async #ask(): Promise<void> {
    const rights = [{ operation: 'Describe', on: 'topic', names: this.#topics }] as const;
    try {
      await this.#session.call('probe', rights, (admin) =>
        admin.fetchTopicMetadata({ topics: [...this.#topics] }),
      );
      if (!this.#answered) this.#context.log.info('the event log is reached');
      this.#answered = true;
    } catch (error) {
      if (this.#answered)
        this.#context.log.warn({ cause: causeMessage(error) }, 'the event log is out of reach');
      this.#answered = false;
    }
  }
}
