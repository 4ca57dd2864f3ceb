import type { Log } from '../logging/log.ts';
import type { TopicSpec } from '../ports/event-log.ts';
import type { AdminSession } from './admin.ts';
import type { ClientContext } from './client.ts';
import { AccessDeniedError, causeMessage } from './errors.ts';
import { LostEnds } from './lost-ends.ts';
import { keptBounds, lostStartLine, startsLost } from './lost-starts.ts';
import { differenceLine } from './topic-settings.ts';
import type { Difference } from './topic-settings.ts';
import { ClosedError } from './retry.ts';
import { topicDifferences } from './topics.ts';

/** Numbers of topics by what is wrong with them; absent: not known, as `settings` where nobody may read them. */
export interface UnsafeTopics {
  readonly settings?: number;
  readonly records_gone?: number;
}

/**
 * Compares the topics with what is wanted, now and then, because an operator can change a setting at any time. A setting
 * that can lose records, and records that are gone, are an alarm; the log continues, because ending now would lose
 * reports at once.
 */
export class TopicWatch {
  readonly #context: ClientContext;
  readonly #session: Pick<AdminSession, 'call'>;
  readonly #specs: readonly TopicSpec[];
  /** @boundedBy the topics and their settings */
  #told = new Set<string>();
  readonly #ends = new LostEnds();
  /** @boundedBy the topics */
  #shortened: readonly string[] = [];
  #unsafe: UnsafeTopics = {};
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isAnswered = true;

  constructor(context: ClientContext, session: Pick<AdminSession, 'call'>, specs: readonly TopicSpec[]) {
    this.#context = context;
    this.#session = session;
    this.#specs = specs;
  }

  /** The findings of the last look. After a look that failed, only what was found wrong before: nobody knows that the rest is well. */
  get unsafe(): UnsafeTopics {
    if (this.#isAnswered) return this.#unsafe;
    return Object.fromEntries(Object.entries(this.#unsafe).filter(([, topics]) => topics > 0));
  }

  /** Topics that are kept for ever and ended before where they ended at an earlier look; until the process ends. */
  get shortened(): readonly string[] {
    return this.#shortened;
  }

  /** Looks once, then again and again. @throws LogUnavailableError */
  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => {
      this.#looking ??= this.#lookAgain().finally(() => (this.#looking = undefined));
    }, this.#context.limits.topicsIntervalMs).unref();
  }

  /** Resolves when nothing is asked any more; close the session first. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
      this.#isAnswered = true;
    } catch (error) {
      if (error instanceof ClosedError) return;
      if (this.#isAnswered)
        this.#context.log.warn({ cause: causeMessage(error) }, 'the topics cannot be looked at now');
      this.#isAnswered = false;
    }
  }

  async #look(): Promise<void> {
    const { log } = this.#context;
    const names = this.#specs.map(({ name }) => name);
    const rights = [{ operation: 'Describe', on: 'topic', names }] as const;
    const bounds = await this.#session.call('topics', rights, (admin) => keptBounds(admin, this.#specs));
    const ends = this.#ends.look(bounds);
    this.#shortened = [...ends.keys()];
    const lost = [...startsLost(bounds).map((one) => [one.topic, lostStartLine(one)] as const), ...ends];
    const told = new Set<string>();
    const tell = (line: string, write: () => void): void => {
      if (!this.#told.has(line)) write();
      told.add(line);
    };
    for (const [topic, what] of lost) {
      const line = `records are gone: ${what}`;
      tell(line, () => log.error({ topic }, `${line}; restore a backup`));
    }
    const differences = await this.#differences(tell);
    for (const one of differences ?? []) {
      const line = `topics differ: ${differenceLine(one)}`;
      tell(line, () => write(log, one, line));
    }
    this.#told = told;
    const unsafe = differences?.filter(({ isUnsafe }) => isUnsafe).map(({ topic }) => topic);
    this.#unsafe = {
      ...(unsafe !== undefined && { settings: new Set(unsafe).size }),
      records_gone: new Set(lost.map(([topic]) => topic)).size,
    };
  }

  /** Returns undefined where the settings may not be read. */
  async #differences(
    tell: (line: string, write: () => void) => void,
  ): Promise<readonly Difference[] | undefined> {
    try {
      return await topicDifferences(this.#session, this.#specs);
    } catch (error) {
      if (!(error instanceof AccessDeniedError)) throw error;
      const line = 'the settings of the topics are not compared with what is wanted';
      tell(line, () => this.#context.log.warn({ err: error }, line));
      return undefined;
    }
  }
}

function write(log: Log, { topic, setting, isUnsafe }: Difference, line: string): void {
  if (isUnsafe) log.error({ topic, setting }, `${line}; run sentinel topics`);
  else log.warn({ topic, setting }, line);
}
