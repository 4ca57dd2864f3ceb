import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration, Heartbeat } from '@sentinel-node/contracts';
import type { AgentClock } from './clock.ts';
import type { ArchiveMemory, FileMemory } from './domain/memory.ts';
import { isDue, step, type Step } from './domain/step.ts';
import { FOLLOW_LOOK_MS, lookEveryMs, nextLookMs, shareOf, type PollingReason } from './domain/watching.ts';
import type { Gate } from './gate.ts';
import { FileHealth } from './file-health.ts';
import { FileNotices, type NoticesOfFile } from './file-notices.ts';
import { FileRecord, type RecordOwner, type RecordsOfAgent, type ServerFile } from './file-record.ts';
import { FileReader } from './io/file-reader.ts';
import { FileWatch, type Look } from './io/file-watch.ts';
import type { FolderWatch, Listener } from './io/folder-watch.ts';
import type { FolderWatches } from './io/folder-watches.ts';
import type { HashPool } from './io/hash-pool.ts';
import { LookTimer, type Looker } from './look-timer.ts';
import type { Schedule } from './schedule.ts';
import type { FileStatus } from './status.ts';
import type { FileSpool, Spooled, Waiting } from './state/spool.ts';

export interface FileTaskOptions {
  readonly file: AgentConfiguration['files'][number];
  /** Absolute. */
  readonly path: string;
  /** Of a PROBE file. */
  readonly intervalMs: number;
  readonly agent: AgentOfFiles;
}

/** What all files of an agent share. */
export interface AgentOfFiles extends RecordsOfAgent, Pick<NoticesOfFile, 'log' | 'notice'> {
  /** Of the device: the server has to hear of a look that often. */
  readonly healthMs: () => number;
  readonly schedule: Schedule;
  readonly watches: FolderWatches;
  readonly hashing: HashPool;
  /** Looks at a time: at files of this machine, and at others, which may hang. */
  readonly looks: { readonly local: Gate; readonly remote: Gate };
  readonly instanceId: string;
  readonly configVersion: () => number | undefined;
  readonly clock: AgentClock;
  readonly onReport: () => void;
  /** The file is no longer looked at, or is again. */
  readonly onProblem: () => void;
}

/** A look, with what it was compared with. */
interface Looked {
  readonly spool: FileSpool;
  readonly from: FileMemory;
  /** Steady milliseconds. */
  readonly startedAt: number;
  /** By the machine's clock. */
  readonly nowMs: number;
  readonly look: Look;
}

/** A look is late after so many intervals; the server waits for three. */
const LATE_LOOKS = 2;
const MS_PER_SECOND = 1_000;
/** A look waits this long after an event, in ms: longer than the grain of the file's times, for more events. */
const EVENT_MS = 30;

/** Looks at one file again and again, and spools a report whenever there is something to say. */
export class FileTask implements Looker, Listener, RecordOwner {
  readonly id: string;
  readonly notices: FileNotices;
  readonly #options: FileTaskOptions;
  readonly #health = new FileHealth();
  readonly #record: FileRecord;
  readonly #watch: FileWatch;
  readonly #folder: FolderWatch;
  readonly #timer: LookTimer;
  #first = true;
  /** What the last look saw was no longer what its report would build on. */
  #stale = false;

  private constructor(options: FileTaskOptions) {
    this.id = options.file.id;
    this.#options = options;
    const { file, path, agent } = options;
    const { watches, clock, log, notice } = agent;
    this.notices = new FileNotices({ id: file.id, path, log, notice });
    this.#record = new FileRecord(this, agent);
    this.#timer = new LookTimer(this, agent.schedule);
    this.#folder = watches.join(path, this);
    const expression = this.archives;
    const { listing } = this.#folder;
    const rolled = expression === undefined ? undefined : { expression, listing };
    const reader = new FileReader(agent.hashing, this.#folder);
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

  /** A state folder that cannot be read now is tried again at every look. */
  static start(options: FileTaskOptions): FileTask {
    const task = new FileTask(options);
    task.#record.open();
    task.#timer.within(0);
    return task;
  }

  /** For the watch of the folder. */
  get archives(): string | undefined {
    const { rolled, rolledfilenameregexp } = this.#options.file;
    return rolled ? rolledfilenameregexp : undefined;
  }

  /** For the watch of the folder. */
  get wantsEvents(): boolean {
    return this.#isFollowed || this.archives !== undefined;
  }

  /** For the watch of the folder. */
  onFile(): void {
    this.#lookSoon();
  }

  /** For the watch of the folder. */
  onArchives(): void {
    this.#watch.touchArchives();
    this.#lookSoon();
  }

  /** For the watch of the folder. */
  onWatching(): void {
    this.#lookSoon();
  }

  /** Whether the running task does what these options ask for. */
  isFor(options: FileTaskOptions): boolean {
    const mine = this.#options;
    return (
      mine.path === options.path &&
      mine.intervalMs === options.intervalMs &&
      isDeepStrictEqual(mine.file, options.file)
    );
  }

  get waiting(): readonly Waiting[] {
    return this.#record.waiting;
  }

  /** Of the reports that wait; 0: none does. */
  get newestSequence(): number {
    return this.waiting.at(-1)?.sequence ?? 0;
  }

  /** As of `FileRecord`. */
  get waitsForServer(): boolean {
    return this.#record.waitsForServer;
  }

  /** As of `FileRecord`. */
  serverKnows(file: ServerFile): Promise<void> | undefined {
    return this.#record.serverKnows(file);
  }

  /** For a heartbeat. @param timeOf ISO 8601, by the machine's clock */
  contact(timeOf: (steadyMs: number) => string): Heartbeat['files'][number] {
    const { id } = this;
    const { checkedAt, problem } = this.#health;
    const seen = { id, checkedAt: checkedAt === undefined ? null : timeOf(checkedAt) };
    return problem === undefined ? seen : { ...seen, problem };
  }

  /** Times are the machine's clock's, ISO 8601. */
  status(timeOf: (steadyMs: number) => string): FileStatus {
    const { file, path } = this.#options;
    const { checkedAt, problem } = this.#health;
    return {
      id: this.id,
      path,
      type: file.type,
      everySeconds: this.#everyMs / MS_PER_SECOND,
      events: this.#isFollowed && this.#polling === undefined,
      polling: (this.#isFollowed ? this.#polling : undefined) ?? null,
      checkedAt: checkedAt === undefined ? null : timeOf(checkedAt),
      problem: problem ?? null,
      waiting: this.waiting.length,
    };
  }

  /** Whether reports may go out, as of `FileHealth`. */
  get maySend(): boolean {
    const { clock, healthMs } = this.#options.agent;
    return this.#health.maySend(clock.steadyMs(), LATE_LOOKS * Math.max(this.#everyMs, healthMs()));
  }

  /** The server took a heartbeat with this problem; null: with none. */
  told(problem: string | null): void {
    this.#health.told(problem);
  }

  /** Reports from the `from`-th on, oldest first; they count as sent. */
  read(from: number, count: number): Spooled[] {
    return this.#record.read(from, count);
  }

  /** All up to this one were answered 202. @throws Error the state cannot be written */
  async accepted(entry: Spooled): Promise<void> {
    this.notices.tellDropped();
    await this.#record.accepted(entry);
  }

  /** The oldest was refused for good. @throws Error the state cannot be written */
  refused(): Promise<void> {
    return this.#record.refused();
  }

  /**
   * Gives what waits sequences that fit the server's time. @returns false: there is no room for them
   * @throws Error the state cannot be written
   */
  renumber(serverMs: number): Promise<boolean> {
    return this.#record.renumber(serverMs);
  }

  /** The disk does not take what there is to keep: the look does not count. */
  spoolFails(error: unknown): void {
    const code = codeOf(error) ?? 'error';
    this.#watch.invalidate();
    this.#complain('SPOOL_FAILING', `the state folder cannot be written (${code}); the file is not checked`);
  }

  /** For the record. */
  onOtherRecord(): void {
    this.#watch.invalidate();
  }

  /** What kept the last look from counting is over: a file with a long interval does not wait for its next turn. */
  onRecord(): void {
    this.#timer.within(0);
  }

  async stop(): Promise<void> {
    this.#options.agent.watches.leave(this.#options.path, this);
    await this.#timer.stop();
    this.#record.close();
  }

  /** For the record. */
  get identity(): string {
    return `${this.#options.file.type}:${this.#options.path}`;
  }

  get #isFollowed(): boolean {
    return this.#options.file.type === 'FOLLOW';
  }

  /** Why events do not tell of all that happens to the file; undefined: they do. */
  get #polling(): PollingReason | undefined {
    return this.#folder.polling ?? this.#watch.blindSpot;
  }

  get #everyMs(): number {
    const { file, intervalMs, agent } = this.#options;
    return lookEveryMs({
      frequency: file.type,
      intervalMs,
      polling: this.#polling,
      healthMs: agent.healthMs(),
    });
  }

  /** For the timer. */
  pauseMs(): number {
    const isOpen = this.#watch.isPending || this.#stale || this.#health.problem !== undefined;
    if (isOpen && this.#isFollowed) return FOLLOW_LOOK_MS;
    return nextLookMs(this.id, this.#everyMs, performance.now());
  }

  /** Something happened to a followed file; a file that is probed waits for its turn. */
  #lookSoon(): void {
    if (this.#isFollowed) this.#timer.within(EVENT_MS, FOLLOW_LOOK_MS);
  }

  /** For the timer. */
  look(): Promise<void> | undefined {
    if (this.#isQuiet() && this.#watch.isUnchanged()) {
      this.#health.checkedAt = this.#options.agent.clock.steadyMs();
      this.#wakeSender();
      return undefined;
    }
    const { local, remote } = this.#options.agent.looks;
    return (this.#folder.isLocal ? local : remote)
      .run(() => this.#look())
      .then((looked) => (looked === undefined ? undefined : this.#settle(looked)))
      .then(() => this.#wakeSender())
      .catch((error: unknown) => this.spoolFails(error));
  }

  /** Whether a look that finds the file unchanged has nothing to say and nothing to mend. */
  #isQuiet(): boolean {
    const { spool } = this.#record;
    if (spool === undefined || this.#first || this.#stale) return false;
    if (this.#health.problem !== undefined || !this.#folder.isLocal) return false;
    return !isDue(spool.memory, this.#options.agent.clock.wallMs());
  }

  /** undefined: there is nothing to look from. */
  async #look(): Promise<Looked | undefined> {
    const spool = this.#record.usable();
    this.#stale = false;
    if (spool === undefined) return undefined;
    const { clock } = this.#options.agent;
    const startedAt = clock.steadyMs();
    const nowMs = clock.wallMs();
    const from = spool.memory;
    const known = { memory: from, archives: spool.archives };
    const look = await this.#watch.look(known, this.#first || isDue(from, nowMs));
    return { spool, from, startedAt, nowMs, look };
  }

  /** Keeps what a look found; it counts when that is durable. */
  async #settle({ spool, from, startedAt, nowMs, look }: Looked): Promise<void> {
    this.notices.archivesRemoved(look.removed);
    this.notices.archivesUnreadable(look.faults);
    this.notices.changedWhileRead(look.torn === true);
    if (look.archives !== undefined) await spool.keepArchives(look.archives);
    const { seen } = look;
    if (seen !== undefined) {
      const { clock, configVersion, instanceId } = this.#options.agent;
      const next = step(from, seen, {
        nowMs,
        sequenceMs: clock.serverMs(),
        frequency: this.#options.file.type,
        identity: this.identity,
        serverSequence: this.#record.serverSequence,
        configVersion: configVersion(),
        instanceId,
        first: this.#first,
      });
      const archives = 'archivesNow' in seen ? seen.archivesNow : undefined;
      if (next !== undefined) {
        if (!(await this.#keep(spool, next, from, archives))) return;
      } else if (archives !== undefined) await spool.keepArchives(archives);
    }
    this.#watch.kept();
    if (look.unsettled) {
      if (seen !== undefined) this.#timer.within(0);
      return;
    }
    if (seen !== undefined) this.#first = false;
    if (seen?.kind === 'error') {
      this.#hasProblem(/^[A-Z][A-Z0-9_]*$/.test(seen.code) ? seen.code : 'UNREADABLE');
      return;
    }
    this.#health.checkedAt = startedAt;
    this.#hasProblem(undefined);
  }

  /** Whether the report is on disk. */
  async #keep(
    spool: FileSpool,
    next: Step,
    from: FileMemory,
    archives: readonly ArchiveMemory[] | undefined,
  ): Promise<boolean> {
    const pushed = await spool.push(next, from, archives);
    if (!pushed.kept) {
      this.#watch.invalidate();
      this.#stale = true;
      if (pushed.full)
        this.#complain('SPOOL_FULL', 'too many reports wait for the server; the file is not checked');
      return false;
    }
    this.notices.dropped(pushed.dropped);
    if (next.kindChanged !== undefined) this.notices.kindChanged(next.kindChanged);
    return true;
  }

  /** Only now: what waits may go out because of the look. */
  #wakeSender(): void {
    if (this.waiting.length > 0) this.#options.agent.onReport();
  }

  #hasProblem(problem: string | undefined): void {
    if (this.#health.become(problem)) this.#options.agent.onProblem();
  }

  /** Says a trouble once, not at every look. */
  #complain(problem: string, message: string): void {
    if (this.#health.problem === problem) return;
    this.#hasProblem(problem);
    this.notices.notChecked(problem, message);
  }
}
