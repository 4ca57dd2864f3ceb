import type { UndeliveredMail } from '@sentinel-node/contracts';
import type { Clock, Metrics } from '@sentinel-node/platform';

/** Least time between two looks at the store. */
const LOOK_MS = 15_000;

/** For how long a look says that no mail waits. */
const SAYS_NONE_MS = 600_000;

type Why = NonNullable<UndeliveredMail['why']>;

/** Times in milliseconds; undefined when there is none. */
export interface OldestMails {
  /** Of mails that the mail server did not take, nor refuse, whatever their mailbox. */
  readonly waiting: number | undefined;
  /** Of mails that it does not take for their mailbox now. */
  readonly deferred: number | undefined;
}

export interface MailCountsOptions {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'counter' | 'observedGauge'> | undefined;
  /** Returns when the oldest mails were made that were not taken, tried or not. */
  readonly oldest: () => Promise<OldestMails>;
}

/** Shows operators that mails wait for the mail server, whichever process sends them, and that mails were given up. */
export class MailCounts {
  readonly #options: MailCountsOptions;
  readonly #count: ((labels: { readonly why: Why }) => void) | undefined;
  readonly #countTaken: (() => void) | undefined;
  /** Absent before the first look. */
  #oldest: OldestMails | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  constructor(options: MailCountsOptions) {
    const { clock, metrics } = options;
    this.#options = options;
    this.#count = metrics?.counter<'why'>({
      name: 'query_mails_given_up_total',
      help: 'Mails that were given up: refused for good, or not taken in time',
      labels: { why: ['REFUSED', 'NOT_TAKEN'] },
    });
    const taken = metrics?.counter({
      name: 'query_mails_taken_total',
      help: 'Mails that the mail server took',
    });
    this.#countTaken = taken && (() => taken({}));
    const secondsOf = (what: keyof OldestMails): number | undefined => {
      if (this.#oldest === undefined) return undefined;
      const at = this.#oldest[what];
      if (at !== undefined) return Math.max(0, Math.floor((clock.now() - at) / 1_000));
      // That there is none was looked at: a look that is old does not say so.
      return Math.abs(clock.now() - this.#lookedAt) > SAYS_NONE_MS ? undefined : 0;
    };
    metrics?.observedGauge(
      {
        name: 'query_mail_waiting_seconds',
        help: 'Age of the oldest mail that the mail server did not take, nor refuse, tried or not; 0: there is none',
      },
      () => secondsOf('waiting'),
    );
    metrics?.observedGauge(
      {
        name: 'query_mail_deferred_seconds',
        help: 'Age of the oldest mail that the mail server does not take for its mailbox now; 0: there is none',
      },
      () => secondsOf('deferred'),
    );
  }

  taken(): void {
    this.#countTaken?.();
  }

  givenUp(why: Why): void {
    this.#count?.({ why });
  }

  async look(): Promise<void> {
    const { clock, oldest } = this.#options;
    const now = clock.now();
    // The clock may have been set back.
    if (this.#isLooking || Math.abs(now - this.#lookedAt) < LOOK_MS) return;
    this.#isLooking = true;
    try {
      this.#oldest = await oldest();
      this.#lookedAt = now;
    } finally {
      this.#isLooking = false;
    }
  }
}
