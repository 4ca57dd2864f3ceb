import type { UndeliveredMail } from '@sentinel-node/contracts';
import type { Clock, Metrics } from '@sentinel-node/platform';

/** Least time between two looks at the store. */
const LOOK_MS = 15_000;

type Why = NonNullable<UndeliveredMail['why']>;

export interface MailCountsOptions {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'counter' | 'observedGauge'> | undefined;
  /** Returns when the oldest mail was made that was tried and not taken. */
  readonly oldest: () => Promise<number | undefined>;
}

/** Shows operators that mails wait for the mail server, whichever process sends them, and that mails were given up. */
export class MailCounts {
  readonly #options: MailCountsOptions;
  readonly #count: ((labels: { readonly why: Why }) => void) | undefined;
  #oldestAt: number | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MailCountsOptions) {
    const { clock, metrics } = options;
    this.#options = options;
    this.#count = metrics?.counter<'why'>({
      name: 'query_mails_given_up_total',
      help: 'Mails that were given up: refused for good, or not taken in time',
      labels: { why: ['REFUSED', 'NOT_TAKEN'] },
    });
    metrics?.observedGauge(
      {
        name: 'query_mail_waiting_seconds',
        help: 'Age of the oldest mail that the mail server did not take, nor refuse, and that is sent again; 0: there is none',
      },
      () => (this.#oldestAt === undefined ? 0 : Math.floor((clock.now() - this.#oldestAt) / 1_000)),
    );
  }

  givenUp(why: Why): void {
    this.#count?.({ why });
  }

  async look(): Promise<void> {
    const { clock, oldest } = this.#options;
    if (clock.now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = clock.now();
    this.#oldestAt = await oldest();
  }
}
