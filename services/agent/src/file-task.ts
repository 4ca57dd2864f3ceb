import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration, Heartbeat } from '@sentinel-node/contracts';
import type { ArchiveMemory, FileMemory } from './domain/memory.ts';
import { isDue, step, type Step } from './domain/step.ts';
import {
  FOLLOW_LOOK_MS,
  lookIntervalMs,
  nextLookAfterFaultMs,
  nextLookMs,
  shareOf,
  UNSETTLED_LOOK_MS,
  type PollingReason,
} from './domain/watching.ts';
import { UNKNOWN_VERSION } from './config.ts';
import type { Gate, Looks } from './gate.ts';
import { FileHealth, type HealthOfAgent, type HealthOwner } from './file-health.ts';
import { FileNotices, type NoticesOfFile } from './file-notices.ts';
import { FileRecord, type RecordOwner, type RecordsOfAgent, type ServerFile } from './file-record.ts';
import { FileReader } from './io/file-reader.ts';
import { FileWatch, type Known, type Look } from './io/file-watch.ts';
import { isLink } from './io/kind.ts';
import type { FolderWatch, Listener } from './io/folder-watch.ts';
import type { FolderWatches } from './io/folder-watches.ts';
import type { Ahead, HashPool } from './io/hash-pool.ts';
import { LookTimer, type Looker } from './look-timer.ts';
import type { Schedule } from './schedule.ts';
import type { FileStatus } from './status.ts';
import type { FileSpool, Spooled, Waiting } from './state/spool.ts';

export interface FileTaskOptions {
  readonly file: AgentConfiguration['files'][number];
  /** The absolute path. */
  readonly path: string;
  /** Interval of a PROBE file, in ms. */
  readonly intervalMs: number;
  /** Version of the configuration that names the file so; undefined when the server named none, `UNKNOWN_VERSION` before it did. */
  readonly configVersion: number | undefined;
  readonly agent: AgentOfFiles;
}

/** Parts of the agent that all its files share. */
export interface AgentOfFiles extends RecordsOfAgent, HealthOfAgent, Pick<NoticesOfFile, 'log' | 'notice'> {
  /** As in `Notices`. */
  readonly noticesDurable: () => Promise<void>;
  readonly schedule: Schedule;
  readonly watches: FolderWatches;
  readonly hashing: HashPool;
  readonly looks: Looks;
  readonly instanceId: string;
  readonly onReport: () => void;
  /** Called when a file's problem appears, changes or ends. */
  readonly onProblem: () => void;
}

/** A look with the state that the look was compared with. */
interface Looked {
  readonly spool: FileSpool;
  readonly known: Known;
  /** Time of the look's start by `elapsedMs` of the clock. */
  readonly startedAt: number;
  /** Time of the look's start by the machine's clock, in ms. */
  readonly nowMs: number;
  /** Version of the configuration at the look's start: a later one may name another path. */
  readonly configVersion: number | undefined;
  /** `#asked` at the look's start. */
  readonly asked: number;
  readonly look: Look;
}

const MS_PER_SECOND = 1_000;
/** Wait from an event to the look, in ms: longer than the grain of file times, and collects further events. */
const EVENT_MS = 30;

/** Returns the code for a heartbeat. */
const problemOf = (code: string): string => (/^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'UNREADABLE');

/** Looks at one file repeatedly and spools a report for each change. */
export class FileTask implements Looker, Listener, RecordOwner, HealthOwner {
  readonly id: string;
  readonly notices: FileNotices;
  readonly #options: FileTaskOptions;
  readonly #health: FileHealth;
  readonly #record: FileRecord;
  readonly #watch: FileWatch;
  readonly #folder: FolderWatch;
  readonly #timer: LookTimer;
  #configVersion: number | undefined;
  /** How often a report was asked for, whatever a look finds, the one at the start included; and how often it was made. */
  #asked = 1;
  #made = 0;
  /** The file as a thread reads it before the first look; undefined after that look. */
  #ahead: Ahead | undefined;
  /** The last look's report was not spooled, because the spool changed meanwhile or was full. */
  #stale = false;
  /** The limit that the last look keeps to. */
  #gate: Gate | undefined;
  /** The look at the same path by an earlier task, until it has ended. */
  #before: Promise<void> | undefined;
  #isClosed = false;
  /** The last look that ended does not show the state of the file, or of its archives. */
  #isOpen = false;

  private constructor(options: FileTaskOptions) {
    this.id = options.file.id;
    this.#options = options;
    const { file, path, agent } = options;
    const { watches, clock, log, notice } = agent;
    this.#health = new FileHealth(this, agent);
    this.#configVersion = options.configVersion;
    this.notices = new FileNotices({ id: file.id, path, log, notice });
    this.#record = new FileRecord(this, agent);
    this.#timer = new LookTimer(this, agent.schedule);
    this.#folder = watches.subscribe(path, this);
    const expression = this.archives;
    const { listing } = this.#folder;
    const rolled = expression === undefined ? undefined : { expression, listing };
    const reader = new FileReader(agent.hashing, this);
    this.#watch = new FileWatch(
      {
        path,
        frequency: file.type,
        rolled,
        reader,
        attributes: file.attributes === true,
        share: shareOf(file.id),
      },
      clock,
    );
  }

  /**
   * Starts looking at a file; every look retries a state folder that cannot be read.
   * @param before the look at the same path by an earlier task; the first look waits for its end
   */
  static start(options: FileTaskOptions, before?: Promise<void>): FileTask {
    const task = new FileTask(options);
    task.#before = before;
    void before?.then(() => (task.#before = undefined));
    task.#record.open();
    // Keep the saved problem until the first look: the server must not take a waiting report for a good look.
    const error = task.#record.spool?.memory.error ?? null;
    if (error !== null) task.#health.setProblem(problemOf(error));
    task.#timer.planWithin(0);
    return task;
  }

  /** Expression of the file's archives, for `Listener`. */
  get archives(): string | undefined {
    const { rolled, rolledfilenameregexp } = this.#options.file;
    return rolled ? rolledfilenameregexp : undefined;
  }

  /** Whether the file needs events, for `Listener`. */
  get wantsEvents(): boolean {
    return this.#isFollowed || this.archives !== undefined;
  }

  /** Handles an event of the file, for `Listener`. */
  onFile(): void {
    this.#lookSoon();
  }

  /** Handles an event of an archive, for `Listener`. */
  onArchives(): void {
    this.#watch.touchArchives();
    this.#lookSoon();
  }

  /** Handles the begin or end of events, for `Listener`. */
  onWatching(): void {
    if (this.#first && this.#before === undefined && this.archives === undefined && this.isLocal)
      this.#ahead ??= this.#options.agent.hashing.readAhead(this.path);
    this.#lookSoon();
  }

  /** Returns whether the running task has the same path, interval and file settings. */
  hasSameSettings(options: FileTaskOptions): boolean {
    const mine = this.#options;
    return (
      mine.path === options.path &&
      mine.intervalMs === options.intervalMs &&
      isDeepStrictEqual(mine.file, options.file)
    );
  }

  /**
   * Takes the version of a configuration with the same settings. What was reported of an unknown one is reported again: the server
   * may wait for a report of this one.
   */
  useVersion(configVersion: number | undefined): void {
    const isFound = this.#configVersion === UNKNOWN_VERSION && configVersion !== UNKNOWN_VERSION;
    this.#configVersion = configVersion;
    if (isFound && this.#made > 0) this.reportAgain();
  }

  get waiting(): readonly Waiting[] {
    return this.#record.waiting;
  }

  /** Highest sequence of the waiting reports; 0 without waiting reports. */
  get newestSequence(): number {
    return this.waiting.at(-1)?.sequence ?? 0;
  }

  /** Highest sequence of the reports that an earlier run may have sent; 0 without such reports. */
  get earlierSequence(): number {
    return this.#record.earlierSequence;
  }

  /** As in `FileRecord`. */
  get waitsForServer(): boolean {
    return this.#record.waitsForServer;
  }

  /** As in `FileRecord`. */
  applyServerRecord(file: ServerFile): Promise<void> | undefined {
    return this.#record.applyServerRecord(file);
  }

  /**
   * Returns the file's entry in a heartbeat. @param timeOf as `wallTimes` of the clock
   */
  contact(timeOf: (elapsedMs: number) => string): Heartbeat['files'][number] {
    const { id } = this;
    const { checkedAt, reason: problem } = this.#health;
    const seen = { id, checkedAt: checkedAt === undefined ? null : timeOf(checkedAt) };
    return problem === undefined ? seen : { ...seen, problem };
  }

  /** Returns the file's status. @param timeOf as `wallTimes` of the clock */
  status(timeOf: (elapsedMs: number) => string): FileStatus {
    const { file, path } = this.#options;
    const { checkedAt, reason } = this.#health;
    return {
      id: this.id,
      path,
      type: file.type,
      everySeconds: this.everyMs / MS_PER_SECOND,
      events: this.#isFollowed && this.#polling === undefined,
      polling: (this.#isFollowed ? this.#polling : undefined) ?? null,
      checkedAt: checkedAt === undefined ? null : timeOf(checkedAt),
      problem: reason ?? null,
      archives: this.notices.archiveFaults,
      pending: this.#isOpen,
      waiting: this.waiting.length,
    };
  }

  /** Sends a heartbeat soon when the server was told another problem than the current one. */
  #correctProblem(): void {
    if (this.#health.isToldOther) this.#options.agent.onProblem();
  }

  /** Whether reports may be sent, as in `FileHealth`. */
  get maySend(): boolean {
    return this.#health.maySend;
  }

  /** Records that the server accepted a heartbeat with this problem; null for no problem. */
  markReported(problem: string | null): void {
    this.#health.markReported(problem);
  }

  /** Returns `count` waiting reports from index `from` on, oldest first, and marks them as sent. */
  read(from: number, count: number): Spooled[] {
    return this.#record.read(from, count);
  }

  /** Removes all reports up to `entry`, as `Spool` does. @throws Error the state cannot be written */
  async accepted(entry: Spooled, refused: readonly number[]): Promise<void> {
    this.notices.reportDropped();
    await this.#record.accepted(entry, refused);
    if (this.#health.problem === 'SPOOL_FULL') this.#timer.planWithin(0);
    this.#correctProblem();
  }

  /** Sets waiting reports aside, as `FileRecord` does. */
  refused(): Promise<number> {
    return this.#record.refused();
  }

  /**
   * Renumbers the waiting reports to fit the server's time. @returns false when no lower sequences are free for them
   * @throws Error the state cannot be written
   */
  renumber(serverMs: number): Promise<boolean> {
    return this.#record.renumber(serverMs);
  }

  /** Handles a failure of the state folder: the look does not count. */
  onSpoolError(error: unknown): void {
    if (this.#isClosed) return;
    const code = codeOf(error) ?? 'error';
    this.#watch.invalidate();
    this.#complain('SPOOL_FAILING', `the state folder cannot be written (${code}); the file is not checked`);
    this.#timer.planWithin(this.pauseMs()); // a long interval must not hide a change
  }

  /** Makes the next look read the file again, for `RecordOwner`. */
  onOtherRecord(): void {
    this.#watch.invalidate();
  }

  /** Looks again now, for `RecordOwner`: a file with a long interval must not wait for its next turn. */
  onRecord(): void {
    this.#timer.planWithin(0);
  }

  /** Reports the file again, changed or not, for `RecordOwner`. */
  reportAgain(): void {
    this.#asked += 1;
    this.#timer.planWithin(0);
  }

  /** Begins no further look. Resolves when the running look has ended, which may be never. */
  async endLooks(): Promise<void> {
    this.#options.agent.watches.unsubscribe(this.#options.path, this);
    await Promise.all([this.#before, this.#timer.stop()]);
  }

  /** Gives up the file's state: what a running look finds is dropped, because another task may own the file by then. */
  close(): void {
    this.#isClosed = true;
    this.#record.close();
  }

  /** Whether the next look is to report the file, changed or not. */
  get #first(): boolean {
    return this.#made < this.#asked;
  }

  get path(): string {
    return this.#options.path;
  }

  /** Frequency and path, for `RecordOwner`. */
  get identity(): string {
    return `${this.#options.file.type}:${this.#options.path}`;
  }

  get #isFollowed(): boolean {
    return this.#options.file.type === 'FOLLOW';
  }

  /** Why events do not show every change of the file; undefined when they do. */
  get #polling(): PollingReason | undefined {
    const { polling } = this.#folder;
    return polling ?? (this.#folder.isMounted(this.path) ? 'MOUNT' : this.#watch.blindSpot);
  }

  /** Whether a look at the file does not wait for another machine. */
  get isLocal(): boolean {
    return this.#folder.isLocal && !this.#folder.isMounted(this.path);
  }

  get intervalMs(): number {
    return this.#options.intervalMs;
  }

  /** Interval of the looks, in ms. */
  get everyMs(): number {
    const { file, agent } = this.#options;
    return lookIntervalMs({
      frequency: file.type,
      intervalMs: this.intervalMs,
      polling: this.#polling,
      healthMs: agent.healthMs(),
    });
  }

  /** Returns the ms to the next look, for the timer. */
  pauseMs(): number {
    const { notKeptMs } = this.#health;
    if (notKeptMs !== undefined) return nextLookAfterFaultMs(this.id, notKeptMs);
    const isOpen = this.#watch.isPending || this.#stale || this.#health.problem !== undefined;
    if (isOpen && this.#isFollowed) return FOLLOW_LOOK_MS;
    const nextMs = nextLookMs(this.id, this.everyMs, performance.now());
    return this.#watch.isUnsettled ? Math.min(nextMs, UNSETTLED_LOOK_MS) : nextMs;
  }

  /** Plans a look soon at a followed file whose last result is kept; a PROBE file waits for its interval. */
  #lookSoon(): void {
    if (this.#isFollowed && this.#health.notKeptMs === undefined)
      this.#timer.planWithin(EVENT_MS, FOLLOW_LOOK_MS);
  }

  /** Looks at the file, for the timer. @returns undefined when a quick check was enough */
  look(): Promise<void> | undefined {
    const memory = this.#quietMemory;
    if (memory !== undefined && this.#watch.isUnchanged(memory)) {
      this.#health.recordLook(this.#options.agent.clock.elapsedMs());
      this.#wakeSender();
      return undefined;
    }
    // Nearly every file comes here once before the answer to the first heartbeat.
    if (this.#record.waits()) return undefined;
    return this.#lookNow()
      .then(() => this.#wakeSender())
      .catch((error: unknown) => this.onSpoolError(error));
  }

  async #lookNow(): Promise<void> {
    const ahead = this.#lookAhead();
    if (ahead !== undefined) return this.#settle(ahead);
    if (this.#before !== undefined) await this.#before;
    const looked = await this.#lookInTurn();
    if (looked !== undefined) await this.#settle(looked);
  }

  /** Looks at a file that a thread has read. @returns undefined when the look has to read the file */
  #lookAhead(): Looked | undefined {
    const ahead = this.#ahead;
    if (ahead === undefined || this.#isClosed || !this.isLocal) return undefined;
    const spool = this.#record.usable();
    if (spool === undefined) return undefined;
    this.#ahead = undefined;
    const begun = this.#begin(spool);
    const look = this.#watch.lookAhead(begun.known, ahead);
    return look === undefined ? undefined : { ...begun, look };
  }

  #lookInTurn(): Promise<Looked | undefined> {
    const { local, remote } = this.#options.agent.looks;
    // A link may lead into any file system.
    this.#gate = this.isLocal && !isLink(this.#options.path) ? local : remote;
    return this.#gate.run(() => this.#look());
  }

  /** Runs a part of the look outside of the limit of simultaneous looks, for `FileReader`. */
  outside<T>(act: () => Promise<T>): Promise<T> {
    return this.#gate?.outside(act) ?? act();
  }

  /** The memory when a look at an unchanged file would have nothing to report and nothing to repair; else undefined. */
  get #quietMemory(): FileMemory | undefined {
    const { spool } = this.#record;
    if (spool === undefined || this.#first || this.#stale) return undefined;
    if (this.#health.problem !== undefined || !this.isLocal) return undefined;
    return isDue(spool.memory, this.#options.agent.clock.wallMs()) ? undefined : spool.memory;
  }

  /** Looks at the file. @returns undefined when there is no state for a look */
  async #look(): Promise<Looked | undefined> {
    if (this.#isClosed) return undefined;
    const spool = this.#record.usable();
    if (spool === undefined) return undefined;
    const begun = this.#begin(spool);
    const look = await this.#watch.look(begun.known, this.#first || isDue(begun.known.memory, begun.nowMs));
    return { ...begun, look };
  }

  /** Begins a look. */
  #begin(spool: FileSpool): Omit<Looked, 'look'> {
    this.#stale = false;
    const { clock } = this.#options.agent;
    return {
      spool,
      known: { memory: spool.memory, archives: spool.archives },
      startedAt: clock.elapsedMs(),
      nowMs: clock.wallMs(),
      configVersion: this.#configVersion,
      asked: this.#asked,
    };
  }

  /** Saves the result of a look; the look counts once the result is durable. */
  async #settle({ spool, known, startedAt, nowMs, configVersion, asked, look }: Looked): Promise<void> {
    if (this.#isClosed) return;
    const from = known.memory;
    this.notices.archivesRemoved(look.removed);
    this.notices.archivesLost(look.lost);
    this.notices.archivesUnreadable(look.faults);
    this.notices.changedWhileRead(look.torn === true);
    if (look.archives !== undefined) await spool.keepArchives(look.archives);
    const { seen } = look;
    if (seen !== undefined) {
      const { clock, instanceId } = this.#options.agent;
      const next = step(from, seen, {
        nowMs,
        sequenceMs: clock.serverMs(),
        frequency: this.#options.file.type,
        identity: this.identity,
        serverSequence: this.#record.serverSequence,
        configVersion,
        instanceId,
        first: this.#made < asked,
      });
      const archives = 'archivesNow' in seen ? seen.archivesNow : undefined;
      if (next !== undefined) {
        if (!(await this.#keep(spool, next, from, archives))) return;
      } else if (archives !== undefined) await spool.keepArchives(archives);
    }
    this.#watch.confirmSaved();
    this.#isOpen = look.unsettled || this.#watch.isUnsettled;
    if (look.unsettled) {
      if (seen !== undefined) this.#timer.planWithin(0);
      return;
    }
    if (seen !== undefined) this.#made = asked;
    this.notices.lookEnded(seen?.kind === 'error' ? seen.code : undefined);
    if (seen?.kind === 'error') {
      this.#hasProblem(problemOf(seen.code));
      return;
    }
    this.#health.recordLook(startedAt);
    this.#hasProblem(undefined);
  }

  /** Spools a report. @returns whether the report is on disk @throws Error the state cannot be written */
  async #keep(
    spool: FileSpool,
    next: Step,
    from: FileMemory,
    archives: readonly ArchiveMemory[] | undefined,
  ): Promise<boolean> {
    if (next.kindChanged !== undefined) {
      // Save the notice first: after the report is saved, a killed agent no longer knows the kind before.
      this.notices.kindChanged(next.kindChanged);
      await this.#options.agent.noticesDurable();
    }
    const pushed = await spool.push(next, from, archives);
    if (!pushed.kept) {
      this.#watch.invalidate();
      this.#stale = true;
      if (pushed.full)
        this.#complain('SPOOL_FULL', 'too many reports wait for the server; the file is not checked');
      else this.#timer.planWithin(UNSETTLED_LOOK_MS);
      return false;
    }
    this.notices.dropped(pushed.dropped);
    this.notices.reportKept();
    return true;
  }

  /** Wakes the sender after the look, which may have allowed waiting reports to be sent. */
  #wakeSender(): void {
    if (this.#isClosed) return;
    this.#correctProblem();
    if (this.waiting.length > 0) this.#options.agent.onReport();
  }

  #hasProblem(problem: string | undefined): void {
    if (this.#health.setProblem(problem)) this.#options.agent.onProblem();
  }

  /** Reports a problem once, not at every look. */
  #complain(problem: string, message: string): void {
    if (this.#health.problem === problem) return;
    this.#hasProblem(problem);
    this.notices.reportUnchecked(problem, message);
  }
}
