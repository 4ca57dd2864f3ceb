import { HealthRecordSchema, parseJsonBytes, TOPICS, type HealthRecord } from '@sentinel-node/contracts';
import {
  compileChecker,
  type EventLog,
  type Log,
  type Repeating,
  type StoredRecord,
  type Subscription,
  type Timers,
} from '@sentinel-node/platform';
import type { IngestionLimits } from './limits.ts';

const records = compileChecker(HealthRecordSchema);

export interface HealthFollowerOptions {
  readonly eventLog: Pick<EventLog, 'tail'>;
  /** Returns whether heartbeats of the device arrive here. */
  readonly knows: (deviceId: string) => boolean;
  /** Takes a heartbeat that another process kept. */
  readonly learn: (record: HealthRecord) => void;
  /** Names this process in the ids of the records that it appends. */
  readonly processName: string;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  readonly limits: Pick<IngestionLimits, 'followHealthAgainMs'>;
}

/** Returns the id of the record of a heartbeat. */
export const healthRecordId = (deviceId: string, receivedAt: number, processName: string): string =>
  `${deviceId}:${receivedAt}:${processName}`;

/**
 * Learns from the log what other processes heard of the devices whose heartbeats arrive here too. Without it a process knows
 * its own part only, so a failure does not stop heartbeats; it follows again from the end of the log.
 */
export class HealthFollower {
  readonly #options: HealthFollowerOptions;
  #subscription: Subscription | undefined;
  #repeating: Repeating | undefined;
  #isStopped = false;
  #isFailing = false;

  constructor(options: HealthFollowerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { timers, limits } = this.#options;
    await this.#follow();
    // `#follow` never rejects.
    this.#repeating = timers.every(limits.followHealthAgainMs, () => this.#follow());
  }

  /** Does not wait for an attempt to follow, which can hang together with its broker. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    void this.#repeating?.stop();
    await this.#subscription?.stop();
  }

  async #follow(): Promise<void> {
    const { eventLog, log } = this.#options;
    if (this.#subscription !== undefined || this.#isStopped) return;
    try {
      const subscription = await eventLog.tail(TOPICS.deviceHealth, 'end', ({ records }) => {
        for (const record of records) this.#take(record);
      });
      if (this.#isStopped) return await subscription.stop();
      this.#subscription = subscription;
      if (this.#isFailing) log.info('heartbeats of other processes are followed again');
      this.#isFailing = false;
      subscription.failed.catch((error: unknown) => {
        this.#subscription = undefined;
        this.#warn(error);
      });
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (!this.#isFailing && !this.#isStopped)
      this.#options.log.warn({ err: error }, 'heartbeats of other processes are not followed');
    this.#isFailing = true;
  }

  /** Most records are of this process, or of devices that it never heard of: these are not read. */
  #take({ key, id, body }: StoredRecord): void {
    const { knows, learn, processName } = this.#options;
    if (!knows(key) || id.endsWith(`:${processName}`)) return;
    const record = readRecord(body);
    if (record !== undefined) learn(record);
  }
}

/** Returns undefined for a record that cannot be read; the projector, which reads it too, stops there with an alarm. */
function readRecord(body: Uint8Array): HealthRecord | undefined {
  try {
    const value = parseJsonBytes(body);
    return records.check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
