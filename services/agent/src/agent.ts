import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { AgentConfiguration, HeartbeatAnswer } from '@sentinel-node/contracts';
import { REPEAT_MS } from './domain/step.ts';
import { keepConfiguration } from './config.ts';
import { FileTask } from './file-task.ts';
import { Server } from './net/server.ts';
import { Sender } from './sender.ts';
import { agentVersion } from './version.ts';

export interface AgentOptions {
  readonly configuration: AgentConfiguration;
  /** Folder of the spool; one agent uses it at a time. */
  readonly stateDir: string;
  /** One line a message; never holds a key. */
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly now?: () => number;
}

/** A followed file is looked at this often, in ms. */
const FOLLOW_LOOK_MS = 250;
/** First wait after a failed heartbeat, in ms; doubles up to the health interval. */
const RETRY_MS = 1_000;

/** Watches the files of one device and reports their versions, until stopped. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #instanceId = randomUUID();
  readonly #now: () => number;
  readonly #tasks = new Map<string, FileTask>();
  #configuration: AgentConfiguration;
  #configVersion: number | undefined;
  #server: Server;
  #sender: Sender;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #stopped = false;
  #failures = 0;
  #version = '';

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#configuration = options.configuration;
    this.#server = new Server(options.configuration);
    this.#sender = this.#newSender();
  }

  /** Resolves when the files are being watched; the server need not be there yet. */
  async start(): Promise<void> {
    this.#version = await agentVersion();
    await this.#applyFiles();
    this.#sender.start();
    this.#beating = this.#beat();
  }

  /** Ends looks and calls under way; what waits stays on disk. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#server.close();
    await Promise.all([
      this.#beating,
      this.#sender.stop(),
      ...[...this.#tasks.values()].map((task) => task.stop()),
    ]);
  }

  #newSender(): Sender {
    return new Sender({
      server: this.#server,
      tasks: () => this.#tasks,
      log: this.#options.log,
      onConfigurationDoubt: () => this.#beatNow(),
    });
  }

  #beatNow(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#beating = this.#beating.then(() => this.#beat());
  }

  async #beat(): Promise<void> {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const answer = await this.#server.heartbeat(this.#heartbeat());
    if (answer.kind === 'ok') {
      this.#failures = 0;
      await this.#heard(answer.value);
    } else {
      this.#failures += 1;
      const detail = answer.kind === 'refused' ? `${answer.status} ${answer.code}` : answer.detail;
      this.#options.log('warn', `heartbeat failed (${detail}); reports are kept and sent again`);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => this.#beatNow(), this.#pauseMs());
  }

  #pauseMs(): number {
    const interval = this.#configuration.healthInterval * 1_000;
    if (this.#failures === 0) return interval;
    return Math.min(interval, RETRY_MS * 2 ** Math.min(this.#failures - 1, 10)) * (0.75 + Math.random() / 2);
  }

  #heartbeat() {
    const tasks = [...this.#tasks.values()];
    const waiting = tasks.flatMap((task) => task.spool.waiting.map(({ report }) => report.timestamp));
    return {
      timestamp: new Date(this.#now()).toISOString(),
      instanceId: this.#instanceId,
      agentVersion: this.#version,
      queue: waiting.length,
      oldestUnsent: waiting.length === 0 ? null : waiting.reduce((a, b) => (a < b ? a : b)),
      files: tasks.map((task) => ({
        id: task.id,
        checkedAt: task.checkedAt === undefined ? null : new Date(task.checkedAt).toISOString(),
      })),
      setAside: this.#sender.setAside,
    };
  }

  async #heard(answer: HeartbeatAnswer): Promise<void> {
    for (const file of answer.files) await this.#tasks.get(file.id)?.serverKnows(file);
    if (answer.configVersion !== this.#configVersion) await this.#refresh();
  }

  /** Fetches the configuration and watches what it names. */
  async #refresh(): Promise<void> {
    const answer = await this.#server.configuration();
    if (answer.kind !== 'ok') return;
    const { configuration, version } = answer.value;
    const newKey = configuration.apiKey !== this.#configuration.apiKey;
    this.#configuration = configuration;
    this.#configVersion = version;
    await keepConfiguration(this.#options.stateDir, configuration);
    if (newKey) await this.#reconnect();
    await this.#applyFiles();
    // A file that this agent does not know yet starts only when the server said what it has of it.
    if ([...this.#tasks.values()].some((task) => task.waitsForServer)) this.#beatNow();
  }

  async #reconnect(): Promise<void> {
    await this.#sender.stop();
    this.#server = new Server(this.#configuration);
    this.#sender = this.#newSender();
    this.#sender.start();
  }

  async #applyFiles(): Promise<void> {
    const wanted = new Set(this.#configuration.files.map((file) => file.id));
    for (const [id, task] of this.#tasks) {
      if (wanted.has(id)) continue;
      await task.stop();
      this.#tasks.delete(id);
    }
    for (const file of this.#configuration.files) {
      const options = {
        file,
        path: resolve(this.#configuration.workingDirectory, file.path),
        folder: join(this.#options.stateDir, file.id),
        lookMs: file.type === 'FOLLOW' ? FOLLOW_LOOK_MS : (file.interval ?? 1) * 1_000,
        repeatMs: REPEAT_MS,
        instanceId: this.#instanceId,
        configVersion: () => this.#configVersion,
        now: this.#now,
        log: this.#options.log,
        onReport: () => this.#sender.wake(),
      };
      const running = this.#tasks.get(file.id);
      if (running?.isFor(options) === true) continue;
      await running?.stop();
      this.#tasks.set(file.id, await FileTask.start(options));
    }
  }
}
