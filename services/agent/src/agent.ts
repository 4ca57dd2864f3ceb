import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration, Heartbeat, HeartbeatAnswer, ProofTrust } from '@sentinel-node/contracts';
import { ClockNotices } from './clock-notices.ts';
import { AgentClock, type TimeSource } from './clock.ts';
import { keepConfiguration, newestConfiguration } from './config.ts';
import { FileTasks, oldestOf, waitingOf } from './file-tasks.ts';
import { Gate } from './gate.ts';
import { Heart } from './heart.ts';
import { FolderWatches, type WatchingSource } from './io/folder-watches.ts';
import { HashPool } from './io/hash-pool.ts';
import { lockState } from './io/state-lock.ts';
import { LogWatch } from './log-watch.ts';
import { Server, type Answer } from './net/server.ts';
import { Notices } from './notices.ts';
import { Receipts } from './receipts.ts';
import { Schedule } from './schedule.ts';
import { Sender } from './sender.ts';
import { SPOOL_BYTES } from './state/spool.ts';
import { StateFile } from './state/state-file.ts';
import type { AgentStatus } from './status.ts';
import { agentVersion } from './version.ts';

export interface AgentOptions {
  /** As a person downloaded it; what the server sent last is kept in the state, and wins. */
  readonly configuration: AgentConfiguration;
  /** Folder of the state; one agent uses it at a time. */
  readonly stateDir: string;
  /** One line a message; never holds a key. */
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly time?: TimeSource;
  /** Events of the file system; the machine's own unless a test takes them away. */
  readonly watching?: WatchingSource;
  /** Threads that hash files, shared with other agents of the process; the agent has its own unless it is given some. */
  readonly hashing?: HashPool;
  /** Makes the calls; Node's own unless there is a proxy or a certificate. */
  readonly fetch?: typeof fetch;
  /** The configuration as a person downloaded it, read again when the server refuses the key. */
  readonly downloaded?: () => Promise<AgentConfiguration>;
  /** Receipts, proofs and the published log are checked with it. */
  readonly trust?: ProofTrust | undefined;
}

/** Looks at a time; each has at most a file or two open. */
const LOCAL_LOOKS = 32;
const REMOTE_LOOKS = 128;
const MS_PER_SECOND = 1_000;

const SHUT_OUT =
  'the server refuses the API key of this device: download the configuration on its page in the console and put it in the place of the file of --config; no restart is needed';

/** Watches the files of one device and reports their versions, until stopped. */
export class Agent {
  readonly #options: Omit<AgentOptions, 'configuration'>;
  readonly #instanceId = randomUUID();
  readonly #clock: AgentClock;
  readonly #clockNotices: ClockNotices;
  readonly #tasks: FileTasks;
  readonly #watches: FolderWatches;
  readonly #hashing: HashPool;
  readonly #store: StateFile;
  readonly #notices: Notices;
  readonly #server: Server;
  readonly #receipts: Receipts;
  /** undefined: without the key of the log nothing of it can be checked. */
  readonly #logWatch: LogWatch | undefined;
  readonly #sender: Sender;
  readonly #heart: Heart;
  #configuration: AgentConfiguration;
  #configVersion: number | undefined;
  #stopped = false;
  #version = '';
  #unlock: () => void = () => undefined;
  /** The last thing that was said of heartbeats that failed. */
  #said = '';
  #startedAt = '';
  /** Steady milliseconds of the last heartbeat that the server took. */
  #heardAt: number | undefined;

  constructor({ configuration, ...options }: AgentOptions) {
    this.#options = options;
    const { log } = options;
    const notice = (code: string, message: string, fileId: string | null): void =>
      this.#notices.add(code, message, fileId);
    this.#clock = new AgentClock(options.time);
    this.#clockNotices = new ClockNotices({ clock: this.#clock, log, notice });
    this.#configuration = configuration;
    this.#watches = new FolderWatches({
      ...options.watching,
      steadyMs: () => this.#clock.steadyMs(),
      log,
    });
    this.#hashing = options.hashing ?? new HashPool();
    this.#store = new StateFile({
      folder: options.stateDir,
      log,
      onBroken: (message) => this.#notices.add('STATE_BROKEN', message),
      steadyMs: () => this.#clock.steadyMs(),
    });
    this.#tasks = new FileTasks({
      store: this.#store,
      schedule: new Schedule(),
      healthMs: () => this.#configuration.healthInterval * MS_PER_SECOND,
      watches: this.#watches,
      hashing: this.#hashing,
      looks: { local: new Gate(LOCAL_LOOKS), remote: new Gate(REMOTE_LOOKS) },
      instanceId: this.#instanceId,
      configVersion: () => this.#configVersion,
      clock: this.#clock,
      room: { bytes: 0, maxBytes: SPOOL_BYTES },
      log,
      notice,
      onReport: () => this.#sender.wake(),
      onProblem: () => this.#heart.soon(),
    });
    this.#server = new Server(configuration, (serverMs) => this.#clock.heard(serverMs), options.fetch);
    this.#notices = new Notices(this.#store, () => this.#heart.soon());
    this.#heart = new Heart({
      intervalMs: () => this.#configuration.healthInterval * MS_PER_SECOND,
      beat: () => this.#beat(),
    });
    const logWatch = this.#watchOfLog(options, notice);
    this.#logWatch = logWatch;
    this.#receipts = new Receipts({
      folder: join(options.stateDir, 'receipts'),
      server: this.#server,
      serverMs: () => this.#clock.serverMs(),
      log,
      notice,
      trust: options.trust,
      hasLog: logWatch && ((note) => logWatch.has(note)),
    });
    this.#sender = new Sender({
      receipts: this.#receipts,
      server: this.#server,
      tasks: () => this.#tasks.byId,
      log,
      serverMs: () => this.#clock.serverMs(),
      notice,
      onConfigurationDoubt: () => this.#heart.soon(),
    });
  }

  #watchOfLog(
    { fetch: by = fetch, log, stateDir, trust }: Omit<AgentOptions, 'configuration'>,
    notice: (code: string, message: string, fileId: string | null) => void,
  ): LogWatch | undefined {
    return (
      trust &&
      new LogWatch({
        ...{ folder: join(stateDir, 'log'), trust, fetch: by, log },
        address: () => this.address,
        steadyMs: () => this.#clock.steadyMs(),
        wallMs: () => this.#clock.wallMs(),
        notice: (code, message) => notice(code, message, null),
      })
    );
  }

  /**
   * Resolves when the files are being watched; the server need not be there yet.
   * @throws StateInUseError another agent works with the state folder
   */
  async start(): Promise<void> {
    this.#unlock = lockState(this.#options.stateDir);
    this.#version = await agentVersion();
    this.#startedAt = new Date(this.#clock.wallMs()).toISOString();
    try {
      this.#takeKept();
      await this.#receipts.load();
      await this.#tasks.apply(() => this.#configuration);
    } finally {
      this.#store.read();
    }
    this.#clockNotices.start();
    this.#sender.start();
    this.#heart.start();
  }

  /** Ends looks and calls under way; what waits stays on disk. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clockNotices.stop();
    this.#server.close();
    this.#logWatch?.stop();
    await Promise.all([
      // Before the tasks: a look does not wait for a large file then.
      ...(this.#options.hashing === undefined ? [this.#hashing.close()] : []),
      this.#heart.stop(),
      this.#sender.stop(),
      this.#tasks.stopApplying(),
    ]);
    await this.#tasks.stop();
    this.#watches.close();
    await this.#notices.settled();
    this.#store.close();
    this.#unlock();
  }

  /** A state that cannot be read now keeps nobody from telling the server so. */
  #takeKept(): void {
    try {
      this.#notices.load();
      this.#configuration = newestConfiguration(this.#store, this.#configuration);
      this.#server.use(this.#configuration);
    } catch (error) {
      this.#stateFails(error);
    }
  }

  #stateFails(error: unknown): void {
    const code = codeOf(error) ?? 'error';
    this.#notices.add('SPOOL_FAILING', `The state folder cannot be used (${code}).`);
  }

  /** How many files it watches. */
  get files(): number {
    return this.#tasks.byId.size;
  }

  /** Of the server. */
  get address(): string {
    return this.#server.identity.sentinelAddress;
  }

  status(): AgentStatus {
    const tasks = this.#tasks.inOrderOf(this.#configuration);
    const aheadMs = this.#clock.aheadOfServerMs();
    const times = this.#clock.wallTimes();
    return {
      at: new Date(this.#clock.wallMs()).toISOString(),
      startedAt: this.#startedAt,
      agentVersion: this.#version,
      organisation: this.#configuration.orgId,
      device: this.#configuration.devId,
      server: this.#server.identity.sentinelAddress,
      lastHeartbeatAt: this.#heardAt === undefined ? null : times(this.#heardAt),
      problem: this.#said === '' ? null : this.#said,
      clockOffsetMs: aheadMs === undefined ? null : Math.round(aheadMs),
      waiting: waitingOf(tasks),
      oldestUnsent: oldestOf(tasks),
      eventsWaiting: this.#notices.pending.length,
      setAside: this.#sender.setAside,
      brokenPromises: this.#receipts.broken,
      log: this.#logWatch?.status ?? null,
      files: tasks.map((task) => task.status(times)),
    };
  }

  /** Sends a heartbeat soon, whatever the interval is. */
  tell(): void {
    this.#heart.soon();
  }

  /** Takes a configuration that a person has changed, and asks the server for the one in force. */
  async reload(): Promise<void> {
    await this.#tryDownloaded();
    await this.#refresh();
  }

  async #beat(): Promise<Answer<unknown>> {
    const startedAt = this.#clock.steadyMs();
    const heartbeat = this.#heartbeat();
    const answer = await this.#server.heartbeat(heartbeat);
    if (answer.kind === 'ok') {
      if (this.#said !== '') this.#options.log('info', 'the server answers again');
      this.#said = '';
      this.#heardAt = startedAt;
      this.#notices.told(heartbeat.events ?? []);
      for (const { id, problem } of heartbeat.files) this.#tasks.byId.get(id)?.told(problem ?? null);
      this.#sender.wake();
      await this.#heard(answer.value);
      await this.#receipts.check();
      await this.#logWatch?.look();
    } else if (!this.#stopped && (await this.#notHeard(answer))) {
      return this.#beat();
    }
    return answer;
  }

  /** @returns whether another configuration is used from now on, which works */
  async #notHeard(answer: Exclude<Answer<HeartbeatAnswer>, { kind: 'ok' }>): Promise<boolean> {
    const detail = answer.kind === 'refused' ? `${answer.status} ${answer.code}` : answer.detail;
    const shutOut = answer.kind === 'refused' && answer.status === 401;
    this.#say(shutOut ? SHUT_OUT : `heartbeat failed (${detail}); reports are kept and sent again`);
    return this.#tryDownloaded();
  }

  #say(message: string): void {
    if (message !== this.#said) this.#options.log('warn', message);
    this.#said = message;
  }

  /**
   * A person may have put a configuration with another key, or another address of the server, in place.
   * @returns whether it is there and works
   */
  async #tryDownloaded(): Promise<boolean> {
    const downloaded = await this.#options.downloaded?.().catch(() => undefined);
    const used = this.#server.identity;
    if (downloaded === undefined || downloaded.devId !== used.devId) return false;
    if (downloaded.apiKey === used.apiKey && downloaded.sentinelAddress === used.sentinelAddress)
      return false;
    this.#server.use(downloaded);
    const answer = await this.#refresh();
    if (answer.kind === 'ok') this.#options.log('info', 'the configuration of --config is used from now on');
    else this.#server.use(used);
    return answer.kind === 'ok';
  }

  #heartbeat(): Heartbeat {
    const tasks = this.#tasks.inOrderOf(this.#configuration);
    const events = [...this.#notices.pending];
    const times = this.#clock.wallTimes();
    return {
      timestamp: new Date(this.#clock.wallMs()).toISOString(),
      instanceId: this.#instanceId,
      agentVersion: this.#version,
      queue: waitingOf(tasks),
      oldestUnsent: oldestOf(tasks),
      files: tasks.map((task) => task.contact(times)),
      setAside: this.#sender.setAside,
      ...(events.length === 0 ? {} : { events }),
    };
  }

  async #heard(answer: HeartbeatAnswer): Promise<void> {
    this.#clock.heard(Date.parse(answer.serverTime));
    this.#clockNotices.compare();
    // Most files have heard it before: no promise for each of ten thousand.
    const hearing = answer.files.flatMap((file) => this.#tasks.byId.get(file.id)?.serverKnows(file) ?? []);
    await Promise.all(hearing);
    if (answer.configVersion !== this.#configVersion) await this.#refresh();
  }

  /** Fetches the configuration and watches what it names. */
  async #refresh(): Promise<Answer<unknown>> {
    const answer = await this.#server.configuration();
    if (answer.kind !== 'ok' || this.#stopped) return answer;
    const { configuration, version } = answer.value;
    // The tasks hold the files of the one before: of thousands of files one copy is enough.
    if (!isDeepStrictEqual(configuration, this.#configuration)) this.#configuration = configuration;
    this.#configVersion = version;
    // The address that answered is the one that works.
    this.#server.use({ ...configuration, sentinelAddress: this.#server.identity.sentinelAddress });
    await this.#tasks.apply(() => this.#configuration);
    try {
      await keepConfiguration(this.#store, configuration, version);
      await this.#tasks.forgetOthers();
    } catch (error) {
      this.#stateFails(error);
    }
    // A file that this agent does not know yet starts only when the server said what it has of it.
    if ([...this.#tasks.byId.values()].some((task) => task.waitsForServer)) this.#heart.soon();
    return answer;
  }
}
