/** Offers checkpoints to one witness (C2SP tlog-witness). */
import { checkCosignature, parseCheckpoint, withSignatures } from '@sentinel-node/contracts';
import type { Cosignature, PolicyWitness } from '@sentinel-node/contracts';
import { backoffMs, chanceOf, verifyEd25519, WaitClock } from '@sentinel-node/platform';
import type { Clock, DocumentStore, LogKey, Random } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CutDocument } from '../collections.ts';
import { consistencyOf } from '../domain/log-nodes.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { logAfter, newestCut, signedCheckpoint } from '../recorded-log.ts';
import { isAhead, keepCosignature, readCosignature } from './cosignatures.ts';
import { callWitness } from './witness-call.ts';
import type { WitnessAlarms } from './witness-alarms.ts';

const { name: CUTS } = OWN_COLLECTIONS.cuts;

export interface OffersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: DocumentStore;
  readonly logKey: LogKey;
  /** Name of the log in checkpoints. */
  readonly origin: string;
  readonly alarms: WitnessAlarms;
}

/** A witness with an address. */
export type OfferedWitness = PolicyWitness & { readonly url: string };

/**
 * Offers every checkpoint in turn while the witness keeps up, else only the newest. The witness itself tells which
 * checkpoint it cosigned last: its answer 409 contains the size. One call of `step` at a time.
 */
export class Offers {
  readonly #deps: OffersDeps;
  readonly #witness: OfferedWitness;
  readonly #ending = new AbortController();
  /** Size in batches of the checkpoint that the witness cosigned last, according to its answers. */
  #size = 0;
  readonly #waits: WaitClock;
  /** Time of `#waits` at which its cosignature of the newest checkpoint has to be renewed; 0 while none is known. */
  #renewAt = 0;
  #failures = 0;
  /** Number of answers 409 in this turn. */
  #conflicts = 0;
  #retryAt = 0;

  constructor(deps: OffersDeps, witness: OfferedWitness) {
    this.#deps = deps;
    this.#waits = new WaitClock(deps.clock);
    this.#witness = witness;
  }

  /** Aborts the running call. */
  end(): void {
    this.#ending.abort();
  }

  /** Offers the checkpoints that the witness lacks. An unreachable witness is tried again later. */
  async step(): Promise<void> {
    const { store } = this.#deps;
    this.#conflicts = 0;
    for (let offer = 0; offer < ANCHORING_LIMITS.witnessOffers; offer++) {
      const newest = await newestCut(store);
      if (newest === undefined) return;
      await this.#showBehind(newest);
      const now = this.#waits.now();
      const isDue = newest.log.size > this.#size || now >= this.#renewAt;
      if (this.#ending.signal.aborted || now < this.#retryAt || !isDue) return;
      if (!(await this.#offer(await this.#next(newest)))) return;
    }
  }

  async #next(newest: CutDocument): Promise<CutDocument> {
    const behind = newest.log.size - this.#size;
    if (behind <= 1 || behind > ANCHORING_LIMITS.witnessCatchUpBatches) return newest;
    return (await this.#cut(this.#size)) ?? newest;
  }

  /** Returns false when no more offers follow in this turn. */
  async #offer(cut: CutDocument): Promise<boolean> {
    const { store, logKey, origin } = this.#deps;
    const checkpoint = signedCheckpoint(cut, logKey, origin);
    const oldSize = this.#size;
    const path = oldSize === 0 ? [] : await consistencyOf(oldSize, cut.log.size, (size) => this.#log(size));
    const offer = { oldSize, path, checkpoint };
    const answer = await callWitness(this.#witness.url, offer, this.#ending.signal);
    if (this.#ending.signal.aborted) return false;
    if (answer.kind === 'SIZE') return this.#takeSize(answer.size, oldSize);
    if (answer.kind !== 'SIGNED') return this.#waitLonger(answer.kind, answer.why);
    const found = await this.#checked(checkpoint, answer.lines, cut.cut.closedAt);
    if (typeof found === 'string') return this.#waitLonger('INVALID', found);
    await keepCosignature(store, cut, this.#witness, found, this.#deps.clock.now());
    this.#signed(cut.log.size);
    return true;
  }

  #signed(size: number): void {
    this.#size = size;
    this.#failures = 0;
    this.#renewAt = this.#waits.now() + ANCHORING_LIMITS.witnessRenewMs;
    this.#deps.alarms.signed(this.#witness.name);
  }

  /** Returns the cosignature, or the reason why the answer has no valid one. */
  async #checked(checkpoint: string, lines: string, closedAt: number): Promise<Cosignature | string> {
    const note = withSignatures(checkpoint, lines);
    const signed = note === undefined ? undefined : parseCheckpoint(note);
    if (signed === undefined) return 'the answer is not signature lines';
    const found = await checkCosignature(signed, this.#witness.key, verifyEd25519);
    if (found === 'ABSENT') return 'the answer has no line of the key of the witness';
    if (found === 'INVALID') return 'the signature is not one of this checkpoint';
    const { witnessClockMs } = ANCHORING_LIMITS;
    if (isAhead(found.time, this.#deps.clock.now())) return `the time ${found.time} is to come`;
    return found.time < (closedAt - witnessClockMs) / 1_000
      ? `the time ${found.time} is before the batch was closed`
      : found;
  }

  /** Continues the offers from the size that the witness has. */
  async #takeSize(size: number, offered: number): Promise<boolean> {
    const { alarms, store } = this.#deps;
    const newest = (await newestCut(store))?.log.size ?? 0;
    if (size > newest) return this.#waitLonger('AHEAD', `it has seen ${size} batches, the log has ${newest}`);
    this.#conflicts += 1;
    this.#size = size;
    if (size === offered || this.#conflicts > ANCHORING_LIMITS.witnessConflicts)
      return this.#waitLonger('REFUSED', `409 with the size ${size} after an offer from ${offered}`);
    const cut = await this.#cut(size - 1);
    const kept = cut === undefined ? undefined : await readCosignature(store, cut, this.#witness);
    this.#renewAt = kept === undefined ? 0 : this.#renewalOf(kept);
    alarms.answered(this.#witness.name);
    return true;
  }

  /** Returns when it has to be renewed: at once, when its time is still to come, because it is of a clock that was ahead. */
  #renewalOf({ time }: Cosignature): number {
    if (isAhead(time, this.#deps.clock.now())) return 0;
    const age = Math.max(0, this.#deps.clock.now() - time * 1_000);
    return this.#waits.now() - age + ANCHORING_LIMITS.witnessRenewMs;
  }

  #waitLonger(outcome: 'REFUSED' | 'AWAY' | 'INVALID' | 'AHEAD', why: string): false {
    const { alarms, random } = this.#deps;
    const retryMs = backoffMs(this.#failures++, ANCHORING_LIMITS.witnessBackoff, chanceOf(random));
    this.#retryAt = this.#waits.now() + retryMs;
    alarms.signatureMissing(this.#witness.name, outcome, why, retryMs);
    return false;
  }

  /** Shows what is missing: cosignatures of batches, or the renewal of the newest one. */
  async #showBehind(newest: CutDocument): Promise<void> {
    const { alarms, clock } = this.#deps;
    const batches = Math.max(0, newest.log.size - this.#size);
    const first = batches === 0 ? undefined : await this.#cut(this.#size);
    const left = this.#renewAt - this.#waits.now();
    const renewal = this.#renewAt === 0 ? newest.cut.closedAt : clock.now() + left;
    alarms.lagging(this.#witness.name, batches, Math.min(first?.cut.closedAt ?? renewal, renewal));
  }

  async #cut(batch: number): Promise<CutDocument | undefined> {
    if (batch < 0) return undefined;
    return await this.#deps.store.get(CUTS, batchId(batch));
  }

  async #log(size: number) {
    const cut = await this.#cut(size - 1);
    if (cut === undefined) throw new Error(`the cut of batch ${size - 1} is missing`);
    return logAfter(cut);
  }
}
