import { isDeepStrictEqual } from 'node:util';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { keepConfiguration, newestConfiguration, UNKNOWN_VERSION } from './config.ts';
import { ConfigurationArrival, type ConfigurationArrivalOptions } from './configuration-arrival.ts';
import type { FileTasks } from './file-tasks.ts';
import type { Answer, Server } from './net/server.ts';
import type { StateStore } from './state/store.ts';

export interface ConfigurationInUseOptions {
  readonly store: StateStore;
  readonly server: Pick<Server, 'configuration' | 'identity' | 'mayAskConfiguration' | 'use'>;
  readonly tasks: Pick<FileTasks, 'apply' | 'removeUnusedState'>;
  /** Reads the downloaded configuration again; undefined when there is none to read. */
  readonly downloaded: (() => Promise<AgentConfiguration>) | undefined;
  readonly log: (level: 'info' | 'error', message: string) => void;
  readonly notice: ConfigurationArrivalOptions['notice'];
  /** Called when files were named that may wait for the server's record of them. */
  readonly onFiles: () => void;
  readonly onStateError: (error: unknown) => void;
  /** Whether the agent stops: an answer that comes then changes nothing. */
  readonly isStopped: () => boolean;
}

const MS_PER_SECOND = 1_000;

/** The configuration by which the agent watches its files: the server's last one, or the downloaded one before it comes. */
export class ConfigurationInUse {
  readonly #options: ConfigurationInUseOptions;
  readonly #arrival: ConfigurationArrival;
  #current: AgentConfiguration;
  /** The downloaded configuration as last tried, or as of the start. */
  #tried: AgentConfiguration;
  /** Version of the server's last answer; undefined before the first, which is then asked for. */
  #answered: number | undefined;
  /** Highest version that the server gave to this process; 0 before the first. */
  #highest = 0;
  /** Version of the current one, as in `FileTaskOptions`. */
  #version: number | undefined = UNKNOWN_VERSION;

  constructor(downloaded: AgentConfiguration, options: ConfigurationInUseOptions) {
    this.#options = options;
    this.#arrival = new ConfigurationArrival(options);
    this.#current = downloaded;
    this.#tried = downloaded;
  }

  get current(): AgentConfiguration {
    return this.#current;
  }

  /** Interval of the heartbeats, in ms. */
  get healthMs(): number {
    return this.#current.healthInterval * MS_PER_SECOND;
  }

  /** Why the server's current configuration does not arrive; undefined when it does. */
  get problem(): string | undefined {
    return this.#arrival.problem;
  }

  /** Takes the configuration that the state has, if it is of the same device. @throws Error the state cannot be read now */
  load(): void {
    const { store, server } = this.#options;
    const { configuration, version } = newestConfiguration(store, this.#current);
    this.#current = configuration;
    this.#version = version ?? UNKNOWN_VERSION;
    server.use(configuration);
  }

  /** Watches the files that the current configuration names. */
  apply(): Promise<void> {
    return this.#options.tasks.apply(() => ({ configuration: this.#current, version: this.#version }));
  }

  /** Reads the downloaded configuration again, then fetches the server's current one. */
  async reload(): Promise<void> {
    await this.tryDownloaded((downloaded) => !isDeepStrictEqual(downloaded, this.#tried));
    if (this.#options.server.mayAskConfiguration) await this.#fetch();
    this.#options.onFiles();
  }

  /**
   * Fetches the server's configuration unless the agent has its version already.
   * @param wanted the server's version, as a heartbeat's answer names it @returns whether it was asked for
   */
  async follow(wanted: number): Promise<boolean> {
    const isCurrent = wanted === this.#answered;
    const mayAsk = this.#options.server.mayAskConfiguration;
    const answer = isCurrent || !mayAsk ? undefined : await this.#fetch((version) => version === wanted);
    if (isCurrent || mayAsk) this.#arrival.judge(answer, { used: this.#answered, wanted });
    return answer !== undefined;
  }

  /**
   * Tries the downloaded configuration when its key or server address differs from the one in use. A key that ended after a
   * rotation must not be used without a reason: the server would tell of it.
   * @param mayTry returns whether there is a reason
   * @returns whether the agent switched to the downloaded configuration because the server accepted its key
   */
  async tryDownloaded(mayTry: (downloaded: AgentConfiguration) => boolean): Promise<boolean> {
    const { server, log, onFiles } = this.#options;
    const downloaded = await this.#options.downloaded?.().catch(() => undefined);
    const used = server.identity;
    if (downloaded === undefined || downloaded.devId !== used.devId) return false;
    if (downloaded.apiKey === used.apiKey && downloaded.sentinelAddress === used.sentinelAddress)
      return false;
    if (!mayTry(downloaded)) return false;
    this.#tried = downloaded;
    server.use(downloaded);
    const answer = await this.#fetch(() => true);
    onFiles();
    if (answer.kind === 'ok') log('info', 'the configuration of --config is used from now on');
    else server.use(used);
    return answer.kind === 'ok';
  }

  /**
   * Fetches the configuration and watches the files that it names. An older one than that in use comes late, or from a
   * cache: it is left. @param mayBeOlder returns whether this older version is the server's, as after the restore of a backup
   */
  async #fetch(mayBeOlder: (version: number) => boolean = () => false): Promise<Answer<unknown>> {
    const { store, server, tasks, onStateError, isStopped } = this.#options;
    const answer = await server.configuration();
    if (answer.kind !== 'ok' || isStopped()) return answer;
    const { configuration, version } = answer.value;
    const used = this.#answered;
    if (version !== undefined && used !== undefined && version < used && !mayBeOlder(version)) return answer;
    this.#highest = Math.max(this.#highest, version ?? 0);
    // Keep the old object when nothing changed: the tasks refer to its files, and a second copy costs memory.
    if (!isDeepStrictEqual(configuration, this.#current)) this.#current = configuration;
    this.#answered = version;
    this.#version = version;
    // Keep the address that just answered: that address works.
    server.use({ ...configuration, sentinelAddress: server.identity.sentinelAddress });
    await this.apply();
    try {
      await keepConfiguration(store, configuration, version);
      // A file that an older configuration lacks may come back with the newer one.
      if ((version ?? Infinity) >= this.#highest) await tasks.removeUnusedState();
    } catch (error) {
      onStateError(error);
    }
    return answer;
  }
}
