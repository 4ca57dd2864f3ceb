import { createHash } from 'node:crypto';
import { codeOf } from '@sentinel-node/contracts/thrown';
import {
  checkProof,
  logIdOf,
  fromHex,
  RECEIPT_FORMAT,
  verifyReceipt,
  type BulkReceipt,
  type KeptReceipt,
  type Proof,
  type ProofTrust,
  type Report,
} from '@sentinel-node/contracts';
import { judgePromise, linkDueAt, requiresLink, type Promised } from './domain/promise.ts';
import { ReceiptFolder } from './io/receipt-folder.ts';
import type { Answer, Server } from './net/server.ts';
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
  /**
   * Returns whether the log of the kept checkpoint begins with the log of a checkpoint; undefined while
   * unknown.
   */
  readonly hasLog?: ((note: string) => Promise<boolean | undefined>) | undefined;
}

type Refused = Extract<Answer<Proof>, { kind: 'refused' }>;

/** Whether a refusal lacks the form of the server's, which has a code in its body. */
const isForeign = ({ status, code }: Refused): boolean =>
  status === 404 ? code !== 'NOT_FOUND' : code === `HTTP_${status}`;

interface Asked extends Promised {
  readonly receipt: KeptReceipt;
  dueAt: number;
}

/** Most receipts waiting for a check; from more, a random sample is kept. */
const WAITING = 200;
/** Receipts checked per heartbeat. */
const ASKED_PER_BEAT = 3;
/** Wait before checking again whether the kept log has a batch, in ms. */
const LOG_MS = 600_000;
/** Wait before asking again after an answer that is not the server's, and time of such answers until it is told, in ms. */
const FOREIGN_MS = 600_000;
const FOREIGN_TOLD_MS = 86_400_000;

/**
 * Checks that the server keeps its promises: saves its receipts and asks for the proofs of a sample.
 * @boundedBy WAITING, and the bytes of the folder
 */
export class Receipts {
  readonly #options: ReceiptsOptions;
  #folder: ReceiptFolder | undefined;
  #waiting: Asked[] = [];
  #seen = 0;
  /** Server's time of the first answer in a row that was not the server's, in ms; Infinity once it was told. */
  #foreignSince: number | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  /** Loads the last run's receipts. An unusable folder is reported, and no receipts are saved. */
  async load(): Promise<void> {
    try {
      this.#folder = await ReceiptFolder.open(this.#options.folder);
      for (const receipt of await this.#folder.newest(WAITING)) this.#wait(receipt);
    } catch (error) {
      this.#notWritten(error);
    }
  }

  /** Number of accepted reports without a valid proof. */
  get broken(): number {
    return this.#folder?.broken ?? 0;
  }

  /** Saves the receipts of a bulk answer. @param sent lines of the body, which the receipt counts from 1 */
  async take(sent: readonly SentLine[], bulk: BulkReceipt | undefined): Promise<void> {
    if (bulk === undefined) return;
    const { lines, ...signed } = bulk;
    const receipts: KeptReceipt[] = [];
    for (const { line, ...position } of lines) {
      const taken = sent[line - 1];
      if (taken === undefined || taken.sentBefore || !requiresLink(taken.entry.report)) continue;
      const reportHash = createHash('sha256').update(taken.text).digest('hex');
      const receipt = { ...position, ...signed };
      receipts.push({ format: RECEIPT_FORMAT, fileId: taken.task.id, reportHash, receipt });
    }
    const good = await this.#signed(receipts);
    if (good.length === 0) return;
    for (const receipt of good) this.#wait(receipt);
    this.#writing = this.#writing
      .then(() => this.#folder?.append(good))
      .catch((error: unknown) => this.#notWritten(error));
    await this.#writing;
  }

  /** Checks some due receipts. After a network failure or with a busy server, the next heartbeat tries again. */
  async check(): Promise<void> {
    const now = this.#options.serverMs();
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= now).slice(0, ASKED_PER_BEAT);
    for (const one of due) {
      const answer = await this.#options.server.proofOfReceipt(one.receipt);
      if (answer.kind === 'unreachable') return;
      if (answer.kind === 'refused' && isForeign(answer)) {
        one.dueAt = now + FOREIGN_MS;
        this.#notAsked(answer, now);
        continue;
      }
      this.#foreignSince = undefined;
      if (answer.kind === 'refused' && answer.status !== 404)
        await this.#break(one, `the server refuses its own receipt (${answer.code})`);
      else await this.#judge(one, answer.kind === 'ok' ? answer.value : undefined, now);
    }
  }

  /** A proxy that refuses the call says nothing of the server's promise. */
  #notAsked({ status }: Refused, now: number): void {
    this.#foreignSince ??= now;
    if (now - this.#foreignSince < FOREIGN_TOLD_MS) return;
    this.#foreignSince = Infinity;
    const message = `Proofs of accepted reports cannot be asked for (HTTP ${status}, for a day): a proxy refuses the calls to /proofs/receipt.`;
    this.#options.log('error', message);
    this.#options.notice('RECEIPTS_NOT_CHECKED', message, null);
  }

  async #judge(one: Asked, proof: Proof | undefined, now: number): Promise<void> {
    const judgement = judgePromise(one, proof, now);
    if (judgement.state === 'early') one.dueAt = judgement.dueAt;
    else if (judgement.state === 'broken') await this.#break(one, judgement.why);
    else if (await this.#fails(proof, now))
      await this.#break(one, 'the proof that the server gives does not hold');
    else await this.#judgeLog(one, proof, now);
  }

  /**
   * Checks that the agent's kept log contains the proof's batch: only then does the signed batch bind the
   * operator.
   */
  async #judgeLog(one: Asked, proof: Proof | undefined, now: number): Promise<void> {
    const note = proof?.batch?.checkpoint;
    const { hasLog } = this.#options;
    const isThere = hasLog === undefined || note === undefined ? true : await hasLog(note);
    if (isThere === undefined) one.dueAt = now + LOG_MS;
    else if (isThere) this.#done(one);
    else await this.#break(one, 'its batch is not in the log that this agent keeps');
  }

  async #fails(proof: Proof | undefined, now: number): Promise<boolean> {
    const { trust } = this.#options;
    if (trust === undefined || proof === undefined) return false;
    const { outcome } = await checkProof(proof, trust, { verifySignature: verifyEd25519, now });
    return outcome === 'FAILS';
  }

  async #break(one: Asked, why: string): Promise<void> {
    this.#done(one);
    const message = `The server accepted a report at ${new Date(one.acceptedAt).toISOString()}, but ${why}. Its receipt is kept in the state folder.`;
    this.#options.log('error', `${one.fileId}: ${message}`);
    this.#options.notice('ACCEPTED_REPORT_MISSING', message, one.fileId);
    await this.#folder?.saveBroken(one.receipt).catch((error: unknown) => this.#notWritten(error));
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
      this.#options.log('error', message);
      this.#options.notice('RECEIPT_INVALID', message, null);
    }
    return good;
  }

  /**
   * Adds a receipt to the sample; beyond WAITING, each has the same chance (reservoir sampling: Vitter 1985,
   * algorithm R).
   */
  #wait(receipt: KeptReceipt): void {
    const { fileId, reportHash } = receipt;
    const promised = { fileId, reportHash, acceptedAt: receipt.receipt.acceptedAt };
    const asked = { ...promised, receipt, dueAt: linkDueAt(promised) };
    this.#seen += 1;
    if (this.#waiting.length < WAITING) return void this.#waiting.push(asked);
    const place = Math.floor(Math.random() * this.#seen);
    if (place < WAITING) this.#waiting[place] = asked;
  }

  #done(one: Asked): void {
    this.#waiting = this.#waiting.filter((other) => other !== one);
    this.#seen = this.#waiting.length;
  }

  #notWritten(error: unknown): void {
    const code = codeOf(error) ?? 'error';
    this.#options.notice(
      'RECEIPTS_NOT_KEPT',
      `Receipts cannot be written to the state folder (${code}).`,
      null,
    );
  }
}
