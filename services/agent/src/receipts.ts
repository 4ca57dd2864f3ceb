import { createHash } from 'node:crypto';
import { codeOf } from '@sentinel-node/contracts/thrown';
import {
  checkProof,
  logIdOf,
  fromHex,
  isReceiptAhead,
  RECEIPT_FORMAT,
  verifyReceipt,
  type BulkReceipt,
  type KeptReceipt,
  type Proof,
  type ProofTrust,
  type Report,
} from '@sentinel-node/contracts';
import { judgePromise, requiresLink } from './domain/promise.ts';
import type { InLog } from './log-watch.ts';
import type { Answer, Server } from './net/server.ts';
import { ReceiptKeeper } from './receipt-keeper.ts';
import { ReceiptSample, type Asked } from './receipt-sample.ts';
import { verifyEd25519 } from './verify/ed25519.ts';

/** A line of a bulk body. */
export interface SentLine {
  readonly task: { readonly id: string };
  readonly entry: { readonly report: Report };
  /** The sent line. */
  readonly text: string;
  /** The line was sent before and may have been accepted then; the link then belongs to the first sending. */
  readonly sentBefore: boolean;
}

export interface ReceiptsOptions {
  readonly folder: string;
  readonly server: Pick<Server, 'proofOfReceipt'>;
  /** Returns the server's time in ms, or the machine's while unknown. */
  readonly serverMs: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly notice: (code: string, message: string, fileId: string | null) => void;
  /** Trust for checking signatures and proofs; undefined saves receipts unchecked. */
  readonly trust?: ProofTrust | undefined;
  /** Returns whether the log of the kept checkpoint begins with the log of a checkpoint. */
  readonly hasLog?: ((note: string) => Promise<InLog>) | undefined;
}

type Failed = Exclude<Answer<Proof>, { kind: 'ok' }>;

/** Whether an answer says nothing of the promise: the server is away or busy, or a refusal lacks the code of the server's. */
function isNoAnswer(answer: Failed): boolean {
  if (answer.kind === 'unreachable') return true;
  const { status, code } = answer;
  return status === 404 ? code !== 'NOT_FOUND' : code === `HTTP_${status}`;
}

const reasonOf = (answer: Failed): string =>
  answer.kind === 'unreachable' ? answer.detail : `HTTP ${answer.status}`;

/** Kinds of problems with receipts that are told once until they end. */
type Problem =
  | 'RECEIPT_AHEAD'
  | 'RECEIPT_INVALID'
  | 'RECEIPT_MISSING'
  | 'RECEIPTS_NOT_CHECKED'
  | 'RECEIPTS_NOT_KEPT';

/** Receipts checked per heartbeat. */
const ASKED_PER_BEAT = 3;
/** Wait before asking again for what the server left open, and time until that is told, in ms. */
const OPEN_MS = 600_000;
const OPEN_TOLD_MS = 86_400_000;
/** Looks at the log until a batch has to be in it: the first may still get an older checkpoint from a cache. */
const LOOKS = 2;

/**
 * Checks that the server keeps its promises: saves its receipts and asks for the proofs of a sample.
 * @boundedBy the places of the sample, and the bytes of the folder
 */
export class Receipts {
  readonly #options: ReceiptsOptions;
  readonly #sample = new ReceiptSample();
  readonly #keeper: ReceiptKeeper;
  /** Whether the server ever gave a receipt. */
  #hasReceipts = false;
  readonly #problems = new Map<Problem, string>();
  /** Server's time until which no proof is asked for, in ms. */
  #pausedUntil = -Infinity;

  constructor(options: ReceiptsOptions) {
    this.#options = options;
    this.#keeper = new ReceiptKeeper({
      folder: options.folder,
      sample: this.#sample,
      onWritten: (failure) => this.#written(failure),
    });
  }

  /** Loads a sample of the last runs' receipts. An unusable folder is reported, and opened again later. */
  async load(): Promise<void> {
    await this.#keep();
  }

  /** Brings receipts to the disk, as far as that is possible. */
  async #keep(): Promise<void> {
    await this.#keeper.write();
    this.#hasReceipts ||= this.#sample.hashes.size > 0;
  }

  /** Number of accepted reports without a valid proof. */
  get broken(): number {
    return this.#keeper.broken;
  }

  /** Why receipts are missing, not valid, not checked or not kept; null without a problem. */
  get problem(): string | null {
    const problems = [...this.#problems.values()];
    return problems.length === 0 ? null : problems.join('; ');
  }

  /**
   * Saves the receipts of a bulk answer.
   * @param sent lines of the body, which the receipt counts from 1
   * @param refused numbers of the lines that the server did not accept
   */
  async take(
    sent: readonly SentLine[],
    bulk: BulkReceipt | undefined,
    refused: ReadonlySet<number>,
  ): Promise<void> {
    const promised = new Set<number>();
    for (const [index, { sentBefore, entry }] of sent.entries())
      if (!refused.has(index + 1) && !sentBefore && requiresLink(entry.report)) promised.add(index + 1);
    const receipts = bulk === undefined ? [] : receiptsOf(bulk, sent, promised);
    this.#checkMissing(promised.size - receipts.length, receipts.length > 0);
    const good = this.#timely(await this.#signed(receipts));
    if (good.length === 0) return;
    this.#hasReceipts = true;
    for (const receipt of good) this.#sample.add(receipt);
    this.#keeper.add(good);
    await this.#keep();
  }

  /**
   * Tells that accepted reports came without a receipt. Without trust and without any receipt so far the server may be one that
   * gives none.
   */
  #checkMissing(count: number, hasSome: boolean): void {
    if (count === 0) {
      if (hasSome) this.#problems.delete('RECEIPT_MISSING');
      return;
    }
    if (!hasSome && !this.#hasReceipts && this.#options.trust === undefined) return;
    const message = `The server accepted ${count} reports and gave no receipt for them: nothing shows later that it had them.`;
    this.#tell('RECEIPT_MISSING', 'the server gave no receipt for reports that it accepted', message);
  }

  /** Checks some due receipts, at most one of them again that the server left open before. */
  async check(): Promise<void> {
    const now = this.#options.serverMs();
    for (const one of this.#sample.due(now, ASKED_PER_BEAT)) {
      if (now < this.#pausedUntil) break;
      await this.#ask(one, now);
    }
    if (!this.#sample.unanswered.some(({ since }) => now - since >= OPEN_TOLD_MS))
      this.#problems.delete('RECEIPTS_NOT_CHECKED');
    await this.#keep();
  }

  async #ask(one: Asked, now: number): Promise<void> {
    if (one.ahead !== undefined) return this.#judgeLog(one, one.ahead.note, now);
    const answer = await this.#options.server.proofOfReceipt(one.receipt);
    if (answer.kind === 'ok') return this.#judge(one, answer.value, now);
    if (isNoAnswer(answer)) {
      if (answer.kind === 'unreachable' && answer.retryAfterMs !== undefined)
        this.#pausedUntil = now + answer.retryAfterMs;
      return this.#leftOpen(one, now, `POST /proofs/receipt: ${reasonOf(answer)}`);
    }
    if (answer.kind === 'refused' && answer.status !== 404)
      await this.#break(one, `the server refuses its own receipt (${answer.code})`);
    else await this.#judge(one, undefined, now);
  }

  /** Asks again later. A day of this is told: whoever dropped a report can also leave the question open for ever. */
  #leftOpen(one: Asked, now: number, why: string): void {
    const since = one.since ?? now;
    if (!this.#sample.askAgain(one, now + OPEN_MS, since) || now - since < OPEN_TOLD_MS) return;
    const message = `The server accepted a report at ${new Date(one.acceptedAt).toISOString()}, and for a day it could not be checked that it keeps that promise (${why}).`;
    this.#tell('RECEIPTS_NOT_CHECKED', `accepted reports could not be checked for a day (${why})`, message);
  }

  /** Tells a problem once until it ends. */
  #tell(code: Problem, problem: string, message: string): void {
    const isTold = this.#problems.has(code);
    this.#problems.set(code, problem);
    if (isTold) return;
    this.#options.log('error', message);
    this.#options.notice(code, message, null);
  }

  async #judge(one: Asked, proof: Proof | undefined, now: number): Promise<void> {
    const judgement = judgePromise(one, proof, now);
    if (judgement.state === 'early') this.#sample.askAgain(one, judgement.dueAt, undefined);
    else if (judgement.state === 'broken') await this.#break(one, judgement.why);
    else if (await this.#fails(proof, now))
      await this.#break(one, 'the proof that the server gives does not hold');
    else await this.#judgeLog(one, proof?.batch?.checkpoint, now);
  }

  /**
   * Checks that the agent's kept log contains the log of the proof's batch: only then does the signed batch bind the
   * operator. The kept log may be older; the same checkpoint is compared again after further looks at the published log.
   */
  async #judgeLog(one: Asked, note: string | undefined, now: number): Promise<void> {
    const { hasLog } = this.#options;
    if (hasLog === undefined || note === undefined) return this.#sample.settle(one);
    const found = await hasLog(note);
    switch (found.state) {
      case 'there':
        return this.#sample.settle(one);
      case 'not-there':
        return this.#break(one, 'its batch is not in the log that this agent keeps');
      case 'unknown':
        return this.#leftOpen(one, now, 'the published log cannot be read');
      case 'behind':
        one.ahead ??= { note, looks: found.looks };
        if (found.looks >= one.ahead.looks + LOOKS)
          return this.#break(one, 'its batch is not in the log that the server publishes');
        return this.#leftOpen(one, now, 'its batch is not in the published log yet');
    }
  }

  async #fails(proof: Proof | undefined, now: number): Promise<boolean> {
    const { trust } = this.#options;
    if (trust === undefined || proof === undefined) return false;
    const { outcome } = await checkProof(proof, trust, { verifySignature: verifyEd25519, now });
    return outcome === 'FAILS';
  }

  async #break(one: Asked, why: string): Promise<void> {
    this.#sample.settle(one);
    const message = `The server accepted a report at ${new Date(one.acceptedAt).toISOString()}, but ${why}. Its receipt is kept in the state folder.`;
    this.#options.log('error', `${one.fileId}: ${message}`);
    this.#options.notice('ACCEPTED_REPORT_MISSING', message, one.fileId);
    this.#keeper.addBroken(one.receipt);
    await this.#keep();
  }

  /** Returns the receipts with a valid signature. One signature covers all; each receipt has its own inclusion path. */
  async #signed(receipts: readonly KeptReceipt[]): Promise<readonly KeptReceipt[]> {
    const { trust } = this.#options;
    if (trust === undefined) return receipts;
    const publicKey = fromHex(trust.publicKey);
    const log = { logId: logIdOf(publicKey), publicKey };
    const holds = await Promise.all(receipts.map((one) => verifyReceipt(one, log, verifyEd25519)));
    const good = receipts.filter((_, index) => holds[index]);
    if (good.length < receipts.length) {
      const message = 'The server gave a receipt that the key of the trust file did not sign.';
      this.#tell('RECEIPT_INVALID', 'the key of the trust file did not sign a receipt', message);
    } else if (good.length > 0) this.#problems.delete('RECEIPT_INVALID');
    return good;
  }

  /** Leaves out receipts of a time to come: whoever drops a report could sign one that never falls due. */
  #timely(receipts: readonly KeptReceipt[]): readonly KeptReceipt[] {
    const now = this.#options.serverMs();
    const timely = receipts.filter(({ receipt }) => !isReceiptAhead(receipt.acceptedAt, now));
    if (timely.length < receipts.length) {
      const message = 'The server gave a receipt of a time that is to come: it promises nothing until then.';
      this.#tell('RECEIPT_AHEAD', 'a receipt is of a time that is to come', message);
    } else if (timely.length > 0) this.#problems.delete('RECEIPT_AHEAD');
    return timely;
  }

  /** Handles the end of a write. */
  #written(failure: { readonly error: unknown } | undefined): void {
    if (failure === undefined) return void this.#problems.delete('RECEIPTS_NOT_KEPT');
    const why = `cannot be kept in the state folder (${codeOf(failure.error) ?? 'error'})`;
    this.#tell('RECEIPTS_NOT_KEPT', `receipts ${why}`, `Receipts ${why}.`);
  }
}

/** Returns the receipts of the promised lines, each at most once. @param promised numbers of the lines */
function receiptsOf(
  { lines, ...signed }: BulkReceipt,
  sent: readonly SentLine[],
  promised: ReadonlySet<number>,
): KeptReceipt[] {
  const left = new Set(promised);
  return lines.flatMap(({ line, ...position }) => {
    const taken = sent[line - 1];
    if (taken === undefined || !left.delete(line)) return [];
    const reportHash = createHash('sha256').update(taken.text).digest('hex');
    const receipt = { ...position, ...signed };
    return [{ format: RECEIPT_FORMAT, fileId: taken.task.id, reportHash, receipt }];
  });
}
