import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import type { ProofTrust } from '@sentinel-node/contracts';
import { Agent } from '../agent.ts';
import { readConfiguration } from '../config.ts';
import { AgentConfigError } from '../config-error.ts';
import { HashPool } from '../io/hash-pool.ts';
import { writeWhole } from '../io/sealed.ts';
import { WritePauses } from '../state/gather.ts';
import type { AgentStatus, WrittenStatus } from '../status.ts';
import { logger, type Log, type LogFormat } from './log.ts';
import { isAmong, readSources, STATUS_FILE, type Source } from './sources.ts';
import { StatusFile } from './status-file.ts';
import { metricsText } from './textfile.ts';

export interface AgentsOptions {
  /** Paths of configurations and of folders with configurations. */
  readonly config: readonly string[];
  readonly stateDir: string | undefined;
  readonly logFormat: LogFormat;
  /** Path of the Prometheus text file; undefined for none. */
  readonly metricsFile: string | undefined;
  readonly fetch: typeof fetch;
  /** Reading rate for hashing all files together; undefined for no limit. */
  readonly readBytesPerSecond?: number | undefined;
  /** Trust for checking receipts and proofs. */
  readonly trust?: ProofTrust | undefined;
}

interface Running {
  /** Where the configuration is now: it may be renamed in its folder. */
  source: Pick<Source, 'file' | 'stateDir'>;
  readonly agent: Agent;
  readonly statusFile: StatusFile;
}

/** A start waits this long for another process that uses the state folder: one that ends, or that only looks (ms). */
const LOCK_WAIT_MS = 3_000;
/** Interval of writing status and metrics, in ms, plus a part per watched file. */
const STATUS_MS = 5_000;
const STATUS_MS_PER_FILE = 2.5;
/** Longest such interval, in ms: `sentinel agent status` takes a much older status for a hanging agent. */
const STATUS_MAX_MS = 30_000;
const MS_PER_SECOND = 1_000;

/** Runs one agent for each device that the configurations name. */
export class Agents {
  readonly #options: AgentsOptions;
  readonly #log: Log;
  readonly #running = new Map<string, Running>();
  readonly #hashing: HashPool;
  readonly #pauses = new WritePauses();
  #notWatched: readonly string[] = [];
  #statusTimer: NodeJS.Timeout | undefined;
  #changing: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #writeFailed = false;
  #stopped = false;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#log = logger(options.logFormat);
    this.#hashing = new HashPool({ bytesPerSecond: options.readBytesPerSecond ?? Infinity });
  }

  /**
   * Starts an agent for each usable configuration and logs the others.
   * @throws AgentConfigError no configuration is usable
   * @throws StateInUseError and Error of node:fs of the first device, when no agent could start
   */
  start(): Promise<void> {
    const started = this.#changing.then(() => this.#start());
    // A change waits for the start, or comes to nothing when it fails: the process then ends.
    this.#changing = started.catch(() => void (this.#stopped = true));
    return started;
  }

  async #start(): Promise<void> {
    const { good, bad } = await readSources(this.#options.config, this.#options.stateDir);
    if (good.length === 0) throw new AgentConfigError(bad[0]?.message ?? 'there is no configuration');
    const unusable = bad.map(({ message }) => message);
    for (const message of unusable) this.#log('error', `not watched: ${message}`);
    this.#notWatched = unusable;
    if (good.length === 1) await this.#startOne(good[0]!, undefined, LOCK_WAIT_MS);
    else this.#notWatched = [...unusable, ...(await this.#startSeveral(good))];
    if (this.#stopped) return;
    this.writeStatus();
    this.#planStatus();
  }

  /** Reads the configurations again: starts new agents, stops removed ones, and reloads the others. */
  reload(): Promise<void> {
    this.#changing = this.#changing
      .then(() => this.#reload())
      .catch((error: unknown) => {
        this.#log('error', `the configurations cannot be read again: ${messageOf(error)}`);
      });
    return this.#changing;
  }

  get statuses(): readonly AgentStatus[] {
    return [...this.#running.values()].map(({ agent }) => agent.status());
  }

  /** One line for each configuration of which no file is watched. */
  get notWatched(): readonly string[] {
    return this.#notWatched;
  }

  /** Resolves when the checks of receipts and published logs that have begun are over. */
  async checked(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ agent }) => agent.checked()));
  }

  /** Makes every agent send a heartbeat soon. */
  sendHeartbeatsSoon(): void {
    for (const { agent } of this.#running.values()) agent.sendHeartbeatSoon();
  }

  /** Writes the status of each agent and the metrics; logs a failure and continues. */
  writeStatus(): void {
    this.#writing = this.#writing
      .then(() => this.#write())
      .then(
        () => (this.#writeFailed = false),
        (error: unknown) => {
          const code = codeOf(error) ?? 'error';
          if (!this.#writeFailed) this.#log('warn', `the status cannot be written (${code})`);
          this.#writeFailed = true;
        },
      )
      .then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#statusTimer);
    // A change may wait for answers longer than the process has to end in order.
    for (const { agent } of this.#running.values()) agent.endCalls();
    await this.#changing;
    // Close the pool before the agents stop, so that no agent waits for a large file.
    const ended = this.#hashing.close();
    await Promise.all([ended, ...[...this.#running.values()].map(({ agent }) => agent.stop())]);
    this.writeStatus();
    await this.#writing;
  }

  /** Interval of writing the status, in ms. */
  get #statusMs(): number {
    const files = [...this.#running.values()].reduce((sum, { agent }) => sum + agent.files, 0);
    return Math.min(STATUS_MAX_MS, STATUS_MS + files * STATUS_MS_PER_FILE);
  }

  #planStatus(): void {
    this.#statusTimer = setTimeout(() => {
      this.writeStatus();
      if (!this.#stopped) this.#planStatus();
    }, this.#statusMs);
  }

  async #reload(): Promise<void> {
    if (this.#stopped) return;
    const { good, bad } = await readSources(this.#options.config, this.#options.stateDir);
    for (const { path, message } of bad)
      this.#log('error', `${path === undefined ? 'no device is watched' : 'not read again'}: ${message}`);
    // An unreadable configuration stops no agent, because someone may be writing it.
    const named = new Set(good.map(({ configuration }) => configuration.devId));
    for (const [device, running] of this.#running)
      if (!named.has(device) && !bad.some((one) => isAmong(one, running.source.file)))
        await this.#remove(device, running);
    // A folder that cannot be read stays: it may hold other configurations than those in use.
    const goOn = new Set<string | undefined>([...this.#running.values()].map(({ source }) => source.file));
    const notWatched = bad.filter(({ path }) => !goOn.has(path)).map(({ message }) => message);
    const others: Running[] = [];
    for (const source of good) {
      const running = this.#running.get(source.configuration.devId);
      if (running === undefined) notWatched.push(...(await this.#startOrSay(source)));
      else {
        running.source = { file: source.file, stateDir: running.source.stateDir };
        others.push(running);
      }
    }
    // At once: a server that does not answer holds up each of them.
    await Promise.all(others.map(({ agent }) => agent.reload()));
    this.#notWatched = notWatched;
    this.#log('info', `read the configurations again; ${this.#running.size} in use`);
  }

  /** Stops the agent of a configuration that is gone, and removes its status: `sentinel agent status` tells of configured devices. */
  async #remove(device: string, { agent, source }: Running): Promise<void> {
    this.#log('info', `${source.file} is gone; the agent of ${device} stops`);
    await agent.stop();
    this.#running.delete(device);
    await this.#writing; // it may be writing this status
    await rm(join(source.stateDir, STATUS_FILE), { force: true }).catch((error: unknown) =>
      this.#log('warn', `the status of ${device} cannot be removed (${codeOf(error) ?? 'error'})`),
    );
  }

  /**
   * Starts several agents. @returns one line for each that did not start
   * @throws Error the first failure, when no agent started, so that the process ends visibly
   */
  async #startSeveral(sources: readonly Source[]): Promise<string[]> {
    const failures: { readonly file: string; readonly error: unknown }[] = [];
    for (const source of sources) {
      if (this.#stopped) break;
      try {
        await this.#startOne(source, source.configuration.devId, LOCK_WAIT_MS);
      } catch (error) {
        failures.push({ file: source.file, error });
      }
    }
    if (failures.length === sources.length) throw failures[0]?.error;
    return failures.map(({ file, error }) => this.#notStarted(file, error));
  }

  /** @returns a line when the agent did not start */
  async #startOrSay(source: Source): Promise<string[]> {
    const device = source.configuration.devId;
    try {
      await this.#startOne(source, device);
      return [];
    } catch (error) {
      return [this.#notStarted(source.file, error)];
    }
  }

  #notStarted(file: string, error: unknown): string {
    const line = `${file}: ${messageOf(error)}`;
    this.#log('error', `not watched: ${line}`);
    return line;
  }

  /** @param lockWaitMs 0 while other agents of the process work: the wait stops them too */
  async #startOne(source: Source, device: string | undefined, lockWaitMs = 0): Promise<void> {
    const { configuration, file, stateDir } = source;
    const log = logger(this.#options.logFormat, device);
    const downloaded = () => readConfiguration(this.#running.get(configuration.devId)?.source.file ?? file);
    const { fetch, trust } = this.#options;
    const [hashing, pauses] = [this.#hashing, this.#pauses];
    const agent = new Agent({
      ...{ configuration, stateDir, log, downloaded, fetch, trust, hashing, pauses },
      lockWaitMs,
    });
    await agent.start();
    // Do not keep the source's configuration: the agent has the current one.
    this.#running.set(configuration.devId, {
      source: { file, stateDir },
      agent,
      statusFile: new StatusFile(),
    });
    log('info', `watching ${agent.files} files for ${agent.address}`);
  }

  /** @throws Error of node:fs, the first failure, after all were tried */
  async #write(): Promise<void> {
    const notWatched = this.#notWatched;
    const writtenEverySeconds = this.#statusMs / MS_PER_SECOND;
    const failures: unknown[] = [];
    const collect = (error: unknown): void => void failures.push(error);
    const { metricsFile } = this.#options;
    const statuses: AgentStatus[] = [];
    for (const { source, agent, statusFile } of this.#running.values()) {
      const status: WrittenStatus = { ...agent.status(), writtenEverySeconds, notWatched };
      const path = join(source.stateDir, STATUS_FILE);
      await statusFile.write(path, status, agent.configuration, this.#stopped).catch(collect);
      if (metricsFile !== undefined) statuses.push(status);
    }
    if (metricsFile !== undefined) {
      const text = metricsText(statuses, notWatched.length);
      await writeWhole(metricsFile, text, { mode: 0o644, isSynced: false }).catch(collect);
    }
    if (failures.length > 0) throw failures[0];
  }
}
