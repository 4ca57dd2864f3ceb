import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration, Heartbeat, HeartbeatAnswer, ProofTrust } from '@sentinel-node/contracts';
import { ClockNotices } from './clock-notices.ts';
import { AgentClock, type TimeSource } from './clock.ts';
import { ConfigurationInUse } from './configuration-in-use.ts';
import { Delivery, REPORTS_WAIT } from './delivery.ts';
import { FileTasks, oldestOf, waitingOf } from './file-tasks.ts';
import { Looks } from './gate.ts';
import { Heart } from './heart.ts';
import { FolderWatches, type WatchingSource } from './io/folder-watches.ts';
import { HashPool } from './io/hash-pool.ts';
import { StateLock } from './io/state-lock.ts';
import { LogWatch } from './log-watch.ts';
import { Server, type Answer } from './net/server.ts';
import { Notices } from './notices.ts';
import { Receipts } from './receipts.ts';
import { Schedule } from './schedule.ts';
import { Sender } from './sender.ts';
import type { WritePauses } from './state/gather.ts';
import { FailureMark } from './state/failure-mark.ts';
import { SPOOL_BYTES } from './state/spool.ts';
import { StateFile } from './state/state-file.ts';
import type { AgentStatus } from './status.ts';
import { agentVersion } from './version.ts';

export interface AgentOptions {
  /** The downloaded configuration. The state keeps the server's last configuration, which takes precedence. */
  readonly configuration: AgentConfiguration;
  /** State folder; one agent uses the folder at a time. */
  readonly stateDir: string;
  /** Writes one line per message. A message never contains a key. */
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly time?: TimeSource;
  /** Source of file system events; default: the machine's. Tests replace the source. */
  readonly watching?: WatchingSource;
  /** Hashing threads that several agents of the process share; default: the agent's own pool. */
  readonly hashing?: HashPool;
  /** Pauses between writes that several agents of the process share; default: the agent's own. */
  readonly pauses?: WritePauses;
  /** Makes the HTTP calls; default: Node's `fetch`. A proxy or a certificate needs another one. */
  readonly fetch?: typeof fetch;
  /** Reads the downloaded configuration again; the agent calls it when the server refuses the key. */
  readonly downloaded?: () => Promise<AgentConfiguration>;
  /** Trust for checking receipts, proofs and the published log. */
  readonly trust?: ProofTrust | undefined;
  /** Longest wait for another agent that uses the state folder, in ms; it blocks the process. Default: 0. */
  readonly lockWaitMs?: number;
}

const SHUT_OUT =
  'the server refuses the API key of this device: download the configuration on its page in the console and put it in the place of the file of --config; no restart is needed';

/** Watches the files of one device and reports their versions until `stop`. */
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
  /** undefined without trust: the log is checked with its key. */
  readonly #logWatch: LogWatch | undefined;
  readonly #sender: Sender;
  readonly #delivery: Delivery;
  readonly #heart: Heart;
  readonly #configuration: ConfigurationInUse;
  #stopped = false;
  #version = '';
  #lock: StateLock | undefined;
  /** The first heartbeat was answered, or has failed. */
  #hasAsked = false;
  /** The last message logged about a failed heartbeat; empty after a successful heartbeat. */
  #lastFailure = '';
  #startedAt = '';
  #checking: Promise<void> | undefined;
  /** Time of the last accepted heartbeat whose answer was taken, by `elapsedMs` of the clock. */
  #acceptedAt: number | undefined;

  constructor({ configuration, ...options }: AgentOptions) {
    this.#options = options;
    const { log } = options;
    const notice = (code: string, message: string, fileId: string | null): void =>
      this.#notices.add(code, message, fileId);
    this.#clock = new AgentClock(options.time);
    this.#clockNotices = new ClockNotices({
      clock: this.#clock,
      log,
      notice,
      // The machine may have slept: no look before that says anything about a file now.
      onJump: () => this.#lookAgain(),
    });
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
      pauses: options.pauses,
    });
    const healthMs = (): number => this.#configuration.healthMs;
    this.#delivery = new Delivery({
      store: this.#store,
      healthMs,
      steadyMs: () => this.#clock.steadyMs(),
      serverMs: () => this.#clock.serverMs(),
      gatheredMs: () => this.#sender.gatheredMs,
      log,
      notice,
    });
    const looks = new Looks();
    const schedule = new Schedule();
    const isScanning = (): boolean => schedule.isBehind || looks.local.isCrowded;
    this.#tasks = new FileTasks({
      store: this.#store,
      schedule,
      healthMs,
      watches: this.#watches,
      hashing: this.#hashing,
      looks,
      instanceId: this.#instanceId,
      clock: this.#clock,
      room: { bytes: 0, maxBytes: SPOOL_BYTES },
      log,
      notice,
      noticesDurable: () => this.#notices.durable(),
      onReport: () => this.#sender.wake(),
      delivery: this.#delivery,
      onProblem: () => this.#heart.soon(),
      hasAskedServer: () => this.#hasAsked,
    });
    this.#server = new Server(
      configuration,
      (serverMs) => this.#clock.recordServerTime(serverMs),
      options.fetch,
    );
    this.#configuration = new ConfigurationInUse(configuration, {
      store: this.#store,
      server: this.#server,
      tasks: this.#tasks,
      downloaded: options.downloaded,
      log,
      notice,
      onFiles: () => this.#askForRecords(),
      onStateError: (error) => this.#stateFails(error),
      isStopped: () => this.#stopped,
    });
    this.#notices = new Notices({
      store: this.#store,
      mark: new FailureMark(options.stateDir),
      wallMs: () => this.#clock.wallMs(),
      steadyMs: () => this.#clock.steadyMs(),
      onNew: () => this.#heart.soon(),
    });
    this.#heart = new Heart({
      intervalMs: healthMs,
      sendHeartbeat: () => this.#beat(),
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
      isScanning,
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
   * Starts watching. Resolves when the files are being watched; the server may still be unreachable.
   * @throws StateInUseError another agent uses the state folder
   */
  async start(): Promise<void> {
    const { stateDir, lockWaitMs = 0 } = this.#options;
    this.#lock = new StateLock(stateDir, lockWaitMs);
    this.#version = await agentVersion();
    this.#startedAt = new Date(this.#clock.wallMs()).toISOString();
    try {
      this.#loadState();
      await this.#receipts.load();
      await this.#configuration.apply();
    } finally {
      this.#store.read();
    }
    this.#clockNotices.start();
    this.#sender.start();
    this.#heart.start();
  }

  /** Aborts running calls, and makes no more, before `stop`. */
  endCalls(): void {
    this.#stopped = true;
    this.#server.close();
    this.#logWatch?.stop();
  }

  /** Ends running looks and calls; unsent reports stay on disk. A look that does not end is left alone. */
  async stop(): Promise<void> {
    this.#clockNotices.stop();
    this.endCalls();
    await Promise.all([
      // Close the pool before the tasks, so that no look waits for a large file.
      ...(this.#options.hashing === undefined ? [this.#hashing.close()] : []),
      this.#heart.stop(),
      this.#checking,
      this.#sender.stop(),
      this.#tasks.stopApplying(),
    ]);
    await this.#tasks.stop();
    this.#watches.close();
    await this.#notices.close();
    this.#store.close();
    this.#lock?.release();
  }

  /**
   * Loads notices and configuration from the state. A failure becomes a notice, so that the server learns of the
   * failure.
   */
  #loadState(): void {
    try {
      this.#notices.load();
      this.#delivery.load();
      this.#configuration.load();
    } catch (error) {
      this.#stateFails(error);
    }
  }

  #stateFails(error: unknown): void {
    const code = codeOf(error) ?? 'error';
    this.#notices.add('SPOOL_FAILING', `The state folder cannot be used (${code}).`);
  }

  /** Number of watched files. */
  get files(): number {
    return this.#tasks.byId.size;
  }

  /** The configuration in use; another object after each change. */
  get configuration(): AgentConfiguration {
    return this.#configuration.current;
  }

  /** The server's address. */
  get address(): string {
    return this.#server.identity.sentinelAddress;
  }

  status(): AgentStatus {
    const configuration = this.#configuration.current;
    const tasks = this.#tasks.tasksInOrderOf(configuration);
    const aheadMs = this.#clock.aheadOfServerMs();
    const times = this.#clock.wallTimes();
    return {
      at: new Date(this.#clock.wallMs()).toISOString(),
      startedAt: this.#startedAt,
      agentVersion: this.#version,
      organisation: configuration.orgId,
      device: configuration.devId,
      server: this.#server.identity.sentinelAddress,
      lastHeartbeatAt: this.#acceptedAt === undefined ? null : times(this.#acceptedAt),
      heartbeatSeconds: configuration.healthInterval,
      problem: this.#lastFailure || (this.#configuration.problem ?? this.#sender.problem ?? null),
      clockOffsetMs: aheadMs === undefined ? null : Math.round(aheadMs),
      waiting: waitingOf(tasks),
      oldestUnsent: oldestOf(tasks),
      eventsWaiting: this.#notices.pending.length,
      eventsHeld: this.#notices.held,
      setAside: this.#sender.setAside,
      brokenPromises: this.#receipts.broken,
      receiptProblem: this.#receipts.problem,
      log: this.#logWatch?.status ?? null,
      files: tasks.map((task) => task.status(times)),
    };
  }

  /** Sends a heartbeat soon, without waiting for the interval. */
  sendHeartbeatSoon(): void {
    this.#heart.soon();
  }

  /** Reads the downloaded configuration again, then fetches the server's current configuration. */
  reload(): Promise<void> {
    return this.#configuration.reload();
  }

  /** Checks that state and lock are still in their folder: a file that changes no more would not show it. */
  #checkState(): void {
    try {
      if (this.#lock?.renew() === true) this.#options.log('warn', 'the lock of the state folder was removed');
      this.#store.check();
    } catch (error) {
      this.#stateFails(error);
    }
  }

  async #beat(): Promise<Answer<unknown>> {
    this.#checkState();
    this.#notices.saveAgain();
    const startedAt = this.#clock.elapsedMs();
    const heartbeat = this.#heartbeat();
    const answer = await this.#server.heartbeat(heartbeat);
    if (answer.kind === 'ok') {
      if (this.#lastFailure !== '') {
        this.#options.log('info', 'the server answers again');
        this.#sender.retryAfterOutage();
      }
      this.#lastFailure = '';
      this.#notices.removeAccepted(heartbeat.events ?? []);
      if (this.#notices.hasNext) this.#heart.soon();
      for (const { id, problem } of heartbeat.files) this.#tasks.byId.get(id)?.markReported(problem ?? null);
      this.#sender.wake();
      await this.#takeAnswer(answer.value, heartbeat, startedAt);
      // Not before the answer is taken: until then the files of a newer configuration are not known.
      this.#acceptedAt = startedAt;
      this.#checkPromises();
    } else if (!this.#stopped && (await this.#takeFailure(answer))) {
      return this.#beat();
    }
    this.#endAsking();
    return answer;
  }

  /** Lets files be looked at that waited for the end of the first heartbeat, whatever came of it. */
  #endAsking(): void {
    if (this.#hasAsked) return;
    const waiting = [...this.#tasks.byId.values()].filter((task) => task.waitsForServer);
    this.#hasAsked = true;
    for (const task of waiting) task.onRecord();
  }

  /** Looks at every file soon, whatever its interval. */
  #lookAgain(): void {
    for (const task of this.#tasks.byId.values()) task.onRecord();
  }

  /** Resolves when the present heartbeat, and the check of receipts and log after it, are over. */
  async checked(): Promise<void> {
    await this.#heart.beating;
    await this.#checking;
  }

  /** Checks receipts and the published log beside the heartbeats, one check at a time: their answers may take minutes. */
  #checkPromises(): void {
    const check = async (): Promise<void> => {
      await this.#receipts.check();
      await this.#logWatch?.look();
    };
    this.#checking ??= check()
      .catch((error: unknown) =>
        this.#options.log(
          'error',
          `receipts and the published log could not be checked: ${messageOf(error)}`,
        ),
      )
      .finally(() => (this.#checking = undefined));
  }

  /**
   * Logs a failed heartbeat and tries the downloaded configuration.
   * @returns whether the agent switched to a working configuration
   */
  async #takeFailure(answer: Exclude<Answer<HeartbeatAnswer>, { kind: 'ok' }>): Promise<boolean> {
    const detail = answer.kind === 'refused' ? `${answer.status} ${answer.code}` : answer.detail;
    const shutOut = answer.kind === 'refused' && answer.status === 401;
    this.#logFailure(shutOut ? SHUT_OUT : `heartbeat failed (${detail}); reports are kept and sent again`);
    if (answer.kind === 'unreachable' && answer.retryAfterMs === undefined) this.#delivery.recordOutage();
    return this.#configuration.tryDownloaded(({ sentinelAddress }) =>
      answer.kind === 'refused' ? true : sentinelAddress !== this.#server.identity.sentinelAddress,
    );
  }

  #logFailure(message: string): void {
    if (message !== this.#lastFailure) this.#options.log('warn', message);
    this.#lastFailure = message;
  }

  #heartbeat(): Heartbeat {
    const tasks = this.#tasks.tasksInOrderOf(this.#configuration.current);
    const times = this.#clock.wallTimes();
    const files = tasks.map((task) => task.contact(times));
    this.#delivery.report(
      files.filter(({ problem }) => problem === REPORTS_WAIT).length,
      this.#sender.problem,
    );
    const events = [...this.#notices.toSend()];
    return {
      timestamp: new Date(this.#clock.wallMs()).toISOString(),
      instanceId: this.#instanceId,
      agentVersion: this.#version,
      queue: waitingOf(tasks),
      oldestUnsent: oldestOf(tasks),
      files,
      setAside: this.#sender.setAside,
      ...(events.length === 0 ? {} : { events }),
    };
  }

  /** @param askedMs the heartbeat's begin by `elapsedMs` of the clock */
  async #takeAnswer(answer: HeartbeatAnswer, { queue }: Heartbeat, askedMs: number): Promise<void> {
    this.#clock.recordHeartbeat(Date.parse(answer.serverTime), askedMs);
    this.#delivery.recordAnswer(queue);
    this.#clockNotices.compare();
    // First the configuration: a file that waits for its record must not be looked at where it was before.
    const isFetched = await this.#configuration.follow(answer.configVersion);
    // `applyServerRecord` returns undefined for most files, which avoids ten thousand promises.
    const updates = answer.files.flatMap(
      (file) => this.#tasks.byId.get(file.id)?.applyServerRecord(file) ?? [],
    );
    await Promise.all(updates);
    if (isFetched) this.#askForRecords();
  }

  /** A new file starts only after a heartbeat answer, which contains the server's record of the file. */
  #askForRecords(): void {
    if ([...this.#tasks.byId.values()].some((task) => task.waitsForServer)) this.#heart.soon();
  }
}
