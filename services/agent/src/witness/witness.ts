/** A witness: cosigns checkpoints that continue its last cosigned one, one offer at a time. */
import {
  cosign,
  ownNoteOf,
  parseAddCheckpoint,
  parseCheckpoint,
  verifyCheckpoint,
  WITNESS_SIZE_TYPE,
  type SignedCheckpoint,
  type VerifierKey,
} from '@sentinel-node/contracts';
import { verifyEd25519 } from '../verify/ed25519.ts';
import { contradicts, judgeOffer } from './judge.ts';
import type { WitnessFile } from './witness-file.ts';

/** Most running and waiting offers. */
export const WITNESS_OFFERS = 64;
/**
 * Most larger checkpoints of one log that are cosigned per minute: logs make at most one batch per second. Anybody can offer a
 * public checkpoint, so an offer that is not such a step does not count; it writes nothing.
 */
export const OFFERS_PER_MINUTE = 120;
/** Most lines about refused offers per minute, and most about contradictions. */
export const LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

export interface WitnessAnswer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

export interface WitnessDeps {
  readonly file: Pick<WitnessFile, 'key' | 'savedNote' | 'saveNote'>;
  readonly logs: readonly VerifierKey[];
  /** Returns the time in ms since 1970. */
  readonly now: () => number;
  /** Writes a line for the operator of the witness. */
  readonly writeLine: (line: string) => void;
  /** Saves a checkpoint that contradicts the cosigned one. */
  readonly keepEvidence: (origin: string, note: string) => Promise<void>;
}

const refusal = (status: number, body: string): WitnessAnswer => ({ status, body: `${body}\n` });

/** Counts per minute and key, of which there are few. */
class Rate {
  readonly #most: number;
  readonly #now: () => number;
  readonly #minutes = new Map<string, { readonly since: number; readonly count: number }>();

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts once more. @returns whether the key is beyond the rate */
  isOver(key: string): boolean {
    const now = this.#now();
    const { since, count } = this.#minutes.get(key) ?? { since: now, count: 0 };
    // A clock that was ahead must not count on until its time has come.
    const isOver = now < since || now - since >= MINUTE_MS;
    const next = isOver ? { since: now, count: 1 } : { since, count: count + 1 };
    this.#minutes.set(key, next);
    return next.count > this.#most;
  }
}

/** Cosigns offers of known logs. @boundedBy WITNESS_OFFERS, and the logs of its options */
export class Witness {
  readonly #deps: WitnessDeps;
  readonly #lines = new Map<string, string>();
  readonly #steps: Rate;
  readonly #said: Rate;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: WitnessDeps) {
    this.#deps = deps;
    this.#steps = new Rate(OFFERS_PER_MINUTE, deps.now);
    this.#said = new Rate(LINES_PER_MINUTE, deps.now);
  }

  /** Resolves when no offer is running. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** Handles `add-checkpoint`. @throws Error of node:fs when the checkpoint cannot be saved; nothing is signed then */
  async add(body: string): Promise<WitnessAnswer> {
    if (this.#waiting >= WITNESS_OFFERS) return refusal(503, 'too many offers wait');
    this.#waiting += 1;
    // One offer at a time, so that the saved checkpoint cannot change between comparing and saving.
    const turn = this.#last.then(() => this.#take(body));
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Returns the log's newest checkpoint with the cosignature; undefined when none was cosigned. */
  cosigned(origin: string): string | undefined {
    const note = this.#deps.file.savedNote(origin);
    const seen = note === undefined ? undefined : parseCheckpoint(note);
    if (note === undefined || seen === undefined) return undefined;
    return note + (this.#lines.get(origin) ?? this.#sign(seen));
  }

  async #take(body: string): Promise<WitnessAnswer> {
    const { file, logs } = this.#deps;
    const offer = parseAddCheckpoint(body);
    const unsigned = offer && parseCheckpoint(offer.checkpoint);
    if (offer === undefined || unsigned === undefined) return refusal(400, 'not an add-checkpoint request');
    const log = logs.find(({ name }) => name === unsigned.origin);
    if (log === undefined) return refusal(404, 'this witness does not know the log');
    const offered = await verifyCheckpoint(offer.checkpoint, log.name, log.publicKey, verifyEd25519);
    if (offered === undefined) return refusal(403, 'the checkpoint is not signed by the key of the log');
    const note = file.savedNote(log.name);
    const seen = note === undefined ? undefined : parseCheckpoint(note);
    // Treating an unreadable checkpoint as missing would let a second log begin.
    if (note !== undefined && seen === undefined)
      throw new Error(`what was kept of ${log.name} cannot be read`);
    if (contradicts(seen, offered)) await this.#contradicted(log.name, ownNoteOf(offered, log));
    const judgement = judgeOffer(seen, offered, offer);
    // Of the saved checkpoint, which is durable, only the time of the cosignature is new.
    if (judgement === 'SIGN' && seen?.text === offered.text) return this.#answer(offered);
    if (judgement === 'SIGN') return this.#cosign(offered, log);
    if (judgement === 'BAD_REQUEST') return refusal(400, 'the old size is above the size of the checkpoint');
    if (judgement === 'CONFLICT')
      return { status: 409, body: `${seen?.size ?? 0}\n`, type: WITNESS_SIZE_TYPE };
    // Without the type of a size: a client would go on from that size, which it has already.
    if (judgement === 'OTHER_ROOT') return refusal(409, 'another checkpoint of this size was cosigned');
    this.#say('REFUSED', log.name, `of size ${offered.size} is not shown to go on from ${seen?.size ?? 0}`);
    return refusal(422, 'not shown to be consistent with what this witness has cosigned');
  }

  /**
   * Saves the checkpoint before signing it: after a crash at any step, no checkpoint is cosigned that the witness
   * does not know.
   */
  async #cosign(offered: SignedCheckpoint, log: VerifierKey): Promise<WitnessAnswer> {
    if (this.#steps.isOver(log.name))
      return refusal(429, `more than ${OFFERS_PER_MINUTE} checkpoints cosigned in a minute`);
    await this.#deps.file.saveNote(log.name, ownNoteOf(offered, log));
    return this.#answer(offered);
  }

  /** @param saved the saved checkpoint of its log */
  #answer(saved: SignedCheckpoint): WitnessAnswer {
    const line = this.#sign(saved);
    this.#lines.set(saved.origin, line);
    return { status: 200, body: line };
  }

  #sign({ text }: SignedCheckpoint): string {
    const { file, now } = this.#deps;
    return cosign(text, file.key, Math.floor(now() / 1_000), (message) => file.key.sign(message)).line;
  }

  async #contradicted(origin: string, note: string): Promise<void> {
    this.#say('CONTRADICTION', origin, 'signed another checkpoint of the same size; keep both');
    await this.#deps.keepEvidence(origin, note);
  }

  /** Refusals, which anybody can cause, do not take the place of contradictions, nor one log that of another. */
  #say(what: 'REFUSED' | 'CONTRADICTION', log: string, line: string): void {
    if (!this.#said.isOver(`${what} ${log}`)) this.#deps.writeLine(`${what}: ${log} ${line}`);
  }
}
