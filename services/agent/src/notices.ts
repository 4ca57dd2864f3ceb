import { LIMITS, type AgentEvent } from '@sentinel-node/contracts';
import { parsedJson } from './parsed-json.ts';
import type { FailureMark } from './state/failure-mark.ts';
import { isNotice } from './state/forms.ts';
import { AGENT, type StateStore } from './state/store.ts';

/** Most unsent notices: one for each file of a device. The oldest are dropped first. */
const PENDING_NOTICES = 2_000;
/** Longest message, in characters. */
export const MESSAGE_CHARACTERS = 500;
/**
 * Least time between two notices of one code and file, in ms: the server takes one a minute and drops others (docs/protocol.md),
 * and answers take time.
 */
const APART_MS = 65_000;

const NOTICES_BROKEN: AgentEvent = {
  code: 'STATE_BROKEN',
  message: "The agent's own events in the state were broken: events that waited to be sent are lost.",
  fileId: null,
};

export interface NoticesOptions {
  readonly store: StateStore;
  /** Remembers over a restart that notices could not be saved. */
  readonly mark: FailureMark;
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
  /** Called when a notice waits for the next heartbeat. */
  readonly onNew: () => void;
}

/**
 * Notices of the agent about itself: the next heartbeat sends them, and the server records them as events. They are
 * saved to disk when possible; a full disk must not prevent sending them.
 */
export class Notices {
  readonly #options: NoticesOptions;
  /** @boundedBy PENDING_NOTICES */
  #pending: AgentEvent[] = [];
  /** Pending notices that were sent, and may have been accepted: later ones are not added to them. */
  #sent = new WeakSet<AgentEvent>();
  /** Steady time of the last accepted notice by subject, in ms. @boundedBy the codes of the files, in `APART_MS` */
  #acceptedAt = new Map<string, number>();
  /** Calls `onNew` when a held notice may be sent. */
  #timer: NodeJS.Timeout | undefined;
  /** The last run's notices are among the pending ones: before that, saving would overwrite them. */
  #isLoaded = false;
  #isKept = true;
  #writing: Promise<void> | undefined;
  /** Why the last write failed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /**
   * Loads the last run's unsent notices, and reports a failure that it could not save.
   * @throws Error the state cannot be read now; the next save tries again
   */
  load(): void {
    this.#openMark();
    this.#loadKept();
  }

  #openMark(): void {
    const left = this.#options.mark.open();
    if (left === undefined) return;
    const since = left.since === undefined ? '' : `From ${left.since} to its end, `;
    this.add(
      'SPOOL_FAILED',
      `${since}the last run of the agent could not write its state folder (${left.code}): changes that were undone before this run were not recorded, and events may be lost.`,
    );
  }

  /** @throws Error the state cannot be read now */
  #loadKept(): void {
    if (this.#isLoaded) return;
    const text = this.#options.store.text(AGENT, 'events', 0);
    const found = text === undefined ? [] : parsedJson(text);
    const list: readonly unknown[] | undefined = Array.isArray(found) ? found : undefined;
    this.#isLoaded = true;
    const kept = (list ?? []).filter(isNotice);
    const added = this.#pending;
    this.#pending = kept;
    for (const one of added) this.#join(one);
    if (kept.length !== list?.length) this.#join(NOTICES_BROKEN);
  }

  get pending(): readonly AgentEvent[] {
    return this.#pending;
  }

  /** Returns the oldest notices to send, at most as many as a heartbeat holds; they count as sent. */
  toSend(): readonly AgentEvent[] {
    const next = this.#next;
    for (const one of next) this.#sent.add(one);
    return next;
  }

  /** Number of the pending notices that the server would drop now. */
  get held(): number {
    return this.#pending.filter((one) => this.#heldMs(subjectOf(one)) > 0).length;
  }

  /** Whether a notice can be sent now. */
  get hasNext(): boolean {
    return this.#next.length > 0;
  }

  /** The oldest notices, without those that the server would drop because it took one of their code and file. */
  get #next(): readonly AgentEvent[] {
    const subjects = new Set<string>();
    return this.#pending
      .filter((one) => {
        const subject = subjectOf(one);
        if (subjects.has(subject) || this.#heldMs(subject) > 0) return false;
        subjects.add(subject);
        return true;
      })
      .slice(0, LIMITS.heartbeatEvents);
  }

  /** Returns the ms until the server takes another notice of the subject. */
  #heldMs(subject: string): number {
    const at = this.#acceptedAt.get(subject);
    return at === undefined ? 0 : Math.max(0, at + APART_MS - this.#options.steadyMs());
  }

  /** Adds a notice; an unsent one with the same code and file takes its message. */
  add(code: string, message: string, fileId: string | null = null): void {
    const notice = { code, message: message.slice(0, MESSAGE_CHARACTERS), fileId };
    this.#join(notice);
    this.#keep();
    if (this.#heldMs(subjectOf(notice)) === 0) this.#options.onNew();
    else this.#wakeLater();
  }

  #join(notice: AgentEvent): void {
    const unsent = this.#pending.find((one) => !this.#sent.has(one) && isSameSubject(one, notice));
    const others = this.#pending.filter((one) => one !== unsent);
    const message = unsent === undefined ? notice.message : joined(unsent.message, notice.message);
    this.#pending = [...others, { ...notice, message }].slice(-PENDING_NOTICES);
  }

  /** Calls `onNew` when the first held notice may be sent. */
  #wakeLater(): void {
    const held = this.#pending.map((one) => this.#heldMs(subjectOf(one))).filter((ms) => ms > 0);
    if (held.length === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#options.onNew();
        this.#wakeLater();
      },
      Math.min(...held),
    ).unref();
  }

  /** Removes notices that the server accepted. */
  removeAccepted(notices: readonly AgentEvent[]): void {
    if (notices.length === 0) return;
    this.#pending = this.#pending.filter((one) => !notices.includes(one));
    const nowMs = this.#options.steadyMs();
    for (const [subject, atMs] of this.#acceptedAt)
      if (nowMs - atMs >= APART_MS) this.#acceptedAt.delete(subject);
    for (const one of notices) this.#acceptedAt.set(subjectOf(one), nowMs);
    this.#wakeLater();
    this.#keep();
  }

  /** Saves the notices; one write at a time, and the next write includes later notices. */
  #keep(): void {
    this.#isKept = false;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  async #write(): Promise<void> {
    while (!this.#isKept) {
      this.#isKept = true;
      this.#failure = await this.#save().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const { mark, wallMs } = this.#options;
      if (this.#failure !== undefined) mark.set(this.#failure.error, wallMs());
      else if (mark.isOpen) mark.clear();
      else this.#openMark();
    }
  }

  /** @throws Error the state cannot be read or written */
  async #save(): Promise<void> {
    await Promise.resolve(); // a notice can be added while the state is being opened
    this.#loadKept();
    const text = JSON.stringify(this.#pending);
    await this.#options.store.commit(AGENT, [{ do: 'put', part: 'events', number: 0, text }]);
  }

  /** Saves the notices again when the last attempt failed. */
  saveAgain(): void {
    if (this.#failure !== undefined) this.#keep();
  }

  /** Resolves when all notices are durable; saves them again when that failed before. @throws Error the state cannot be written */
  async durable(): Promise<void> {
    this.saveAgain();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves when saving has ended, with or without success; later failures leave no mark. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    this.#options.mark.close();
  }
}

const subjectOf = ({ code, fileId }: AgentEvent): string => `${fileId ?? ''}:${code}`;

const isSameSubject = (a: AgentEvent, b: AgentEvent): boolean => a.code === b.code && a.fileId === b.fileId;

/** Returns both messages, the later one whole. */
function joined(earlier: string, later: string): string {
  if (earlier.endsWith(later)) return earlier;
  const both = `${earlier} ${later}`;
  return both.length <= MESSAGE_CHARACTERS ? both : `…${both.slice(1 - MESSAGE_CHARACTERS)}`;
}
