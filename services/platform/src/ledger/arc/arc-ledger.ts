import type { Clock } from '../../ports/ambient.ts';
import type { BlockHeaders } from '../../ports/block-headers.ts';
import { LedgerUnavailableError } from '../../ports/errors.ts';
import type { FeePolicy, Funding, Ledger, LedgerAnswer } from '../../ports/ledger.ts';
import { parseExtended } from '../check-transaction.ts';
import { feePolicyOf, namedCode, readTransaction, isUnknownTransaction, wordsOf } from './answers.ts';
import type { ArcTransaction } from './answers.ts';
import { proveBlock } from './block-proof.ts';
import { ArcClient, type ArcEndpoint, type ArcReply } from './endpoint.ts';
import { ARC_LIMITS } from './limits.ts';
import { codeMeaning, effectiveCode, isAgainst, isTaken, statusMeaning } from './outcomes.ts';

/**
 * `code`: a refused call. `status`: a state that a person must check. `answer`: an unusable answer. `proof`: no such
 * block.
 */
export const ARC_ALARMS = ['code', 'status', 'answer', 'proof'] as const;

export interface ArcAlarm {
  readonly reason: (typeof ARC_ALARMS)[number];
  /** Host of the endpoint. */
  readonly endpoint: string;
  /** One line for a person, without tokens. */
  readonly detail: string;
  readonly txid?: string;
}

export interface ArcLedgerOptions {
  /** Network of the blocks in `headers`: `main` or `test`. */
  readonly network: string;
  /** Endpoints in the order of asking, until one gives a usable answer. */
  readonly endpoints: readonly [ArcEndpoint, ...ArcEndpoint[]];
  /** Starts and stops with the ledger. */
  readonly headers: BlockHeaders;
  /** URL to which the service reports changes, and the Bearer token that it must send. */
  readonly callback?: { readonly url: string; readonly token: string } | undefined;
  /** Returns confirmed unspent outputs of a public key hash, because an ARC service cannot list them. */
  readonly funding: (publicKeyHash: string) => Promise<readonly Funding[]>;
  readonly clock: Clock;
  /** Limit of a request in milliseconds; default: `ARC_LIMITS.requestMs`. */
  readonly requestMs?: number;
  readonly onAlarm: (alarm: ArcAlarm) => void;
}

/**
 * Judgement of an endpoint's answer: later endpoints are asked unless it is `sound`. `doubtful` counts when no other
 * endpoint knows better, `unclear` when none says anything doubtful either. `refused` counts when every endpoint refuses, and
 * then rather one that may pass than one that `isFinal`.
 */
type Verdict<T> =
  | { readonly kind: 'sound' | 'doubtful' | 'unclear'; readonly answer: T }
  | {
      readonly kind: 'refused';
      readonly answer: T;
      readonly why: string;
      readonly isFinal: boolean;
    };
type Refusal<T> = Extract<Verdict<T>, { kind: 'refused' }>;

/**
 * Reaches the public ledger through ARC services and block headers from another source. A service is trusted to have
 * received, seen or refused a transaction, never that a block holds it: MINED is reported only when the Merkle path
 * leads to a header of the best chain.
 */
export function createArcLedger(options: ArcLedgerOptions): Ledger {
  return new ArcLedger(options);
}

class ArcLedger implements Ledger {
  readonly network: string;
  readonly closingDepth = ARC_LIMITS.closingDepth;
  readonly forgets = true;
  readonly #options: ArcLedgerOptions;
  readonly #clients: readonly ArcClient[];

  constructor(options: ArcLedgerOptions) {
    this.network = options.network;
    this.#options = options;
    const { endpoints, clock, requestMs = ARC_LIMITS.requestMs } = options;
    this.#clients = endpoints.map((endpoint) => new ArcClient(endpoint, clock, requestMs));
  }

  get firstHeight(): number {
    return this.#options.headers.firstHeight;
  }

  start(): Promise<void> {
    return this.#options.headers.start();
  }

  stop(): Promise<void> {
    return this.#options.headers.stop();
  }

  async submit(extendedTx: string): Promise<LedgerAnswer> {
    const parsed = parseExtended(extendedTx);
    if (typeof parsed === 'string') return { txid: '', status: 'REJECTED', detail: parsed };
    const { txid } = parsed;
    const body = JSON.stringify({ rawTx: extendedTx });
    const answer = await this.#first<LedgerAnswer>(async (client) => {
      const reply = await client.ask('/tx', { method: 'POST', headers: this.#submitHeaders(), body });
      const code = effectiveCode(reply.code, namedCode(reply.json));
      if (isTaken(code)) return this.#stateOf(client, txid, reply);
      if (codeMeaning(code) !== 'final') return this.#unusable(client, reply, code, txid);
      client.answered();
      const detail = `ARC ${code} of ${client.name}: ${client.redacted(wordsOf(reply.json))}`;
      return refused({ txid, status: 'REJECTED', detail }, detail, true);
    });
    return answer ?? { txid, status: 'RECEIVED' };
  }

  status(txid: string): Promise<LedgerAnswer | undefined> {
    return this.#first(async (client) => {
      const reply = await client.ask(`/tx/${txid}`, { method: 'GET' });
      if (reply.code === 404 && isUnknownTransaction(reply.json)) {
        client.answered();
        return undefined;
      }
      return reply.code === 200
        ? this.#stateOf(client, txid, reply)
        : this.#unusable(client, reply, reply.code, txid);
    });
  }

  /**
   * Returns the highest fee of all endpoints that answer: a lower one, wrong or not, would make the others refuse the
   * transaction.
   */
  async policy(): Promise<FeePolicy> {
    const answers = await Promise.all(this.#clients.map((client) => this.#policyOf(client)));
    const found = answers.flatMap((one) => (one instanceof LedgerUnavailableError ? [] : [one]));
    const failures = answers.filter((one) => one instanceof LedgerUnavailableError);
    if (found.length === 0) throw unavailable(failures.map(({ message }) => message));
    return found.reduce((most, one) => (rateOf(one) > rateOf(most) ? one : most));
  }

  async #policyOf(client: ArcClient): Promise<FeePolicy | LedgerUnavailableError> {
    try {
      const reply = await client.ask('/policy', { method: 'GET' });
      if (reply.code !== 200) return this.#unusable(client, reply, reply.code);
      const policy = feePolicyOf(reply.json);
      if (policy === undefined) return this.#wrong(client, reply, 'a fee policy that cannot be used');
      client.answered();
      return policy;
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      return error;
    }
  }

  funding(publicKeyHash: string): Promise<readonly Funding[]> {
    return this.#options.funding(publicKeyHash);
  }

  header(height: number): Promise<string | undefined> {
    return this.#options.headers.header(height);
  }

  height(): Promise<number> {
    return this.#options.headers.height();
  }

  /**
   * Returns the first sound answer, else the first doubtful one, else the first unclear one; a refusal only when every
   * endpoint refuses; undefined when an endpoint that answered does not know the transaction.
   * @throws LedgerUnavailableError when no endpoint gave a usable answer, or one did not and the others refuse: a
   * refusal is final, and the missing answer may be another
   */
  async #first<T>(ask: (client: ArcClient) => Promise<Verdict<T> | undefined>): Promise<T | undefined> {
    const unsure: Exclude<Verdict<T>, Refusal<T>>[] = [];
    const refusals: Refusal<T>[] = [];
    const failures: LedgerUnavailableError[] = [];
    for (const client of this.#clients) {
      try {
        const verdict = await ask(client);
        if (verdict?.kind === 'sound') return verdict.answer;
        if (verdict?.kind === 'refused') refusals.push(verdict);
        else if (verdict !== undefined) unsure.push(verdict);
      } catch (error) {
        if (!(error instanceof LedgerUnavailableError)) throw error;
        failures.push(error);
      }
    }
    const best = unsure.find(({ kind }) => kind === 'doubtful') ?? unsure[0];
    if (best !== undefined) return best.answer;
    if (refusals.length === this.#clients.length)
      return (refusals.find(({ isFinal }) => !isFinal) ?? refusals[0]!).answer;
    if (refusals.length + failures.length < this.#clients.length) return undefined;
    throw unavailable([...failures.map(({ message }) => message), ...refusals.map(({ why }) => why)]);
  }

  /** Returns the endpoint's state of the transaction. @throws LedgerUnavailableError when the answer is unusable */
  async #stateOf(
    client: ArcClient,
    txid: string,
    reply: ArcReply,
  ): Promise<Verdict<LedgerAnswer> | undefined> {
    const state = readTransaction(reply.json);
    if (state === undefined) return this.#wrong(client, reply, 'no state of a transaction', txid);
    if (state.txid.toLowerCase() !== txid)
      return this.#wrong(client, reply, `the state of another transaction, ${state.txid}`, txid);
    client.answered();
    return this.#verdictOf(client, txid, state);
  }

  async #verdictOf(
    client: ArcClient,
    txid: string,
    { txStatus, merklePath, extraInfo }: ArcTransaction,
  ): Promise<Verdict<LedgerAnswer> | undefined> {
    const { finality, status } = statusMeaning(txStatus);
    const detail = client.redacted([txStatus, extraInfo].filter(Boolean).join(': '));
    if (finality === 'alarm') this.#alarm('status', client, detail, txid);
    if (status === undefined) return undefined;
    if (status === 'MINED') return this.#mined(client, txid, merklePath);
    const answer = { txid, status, detail };
    if (isAgainst(status)) return refused(answer, `${client.name}: ${detail}`, finality === 'final');
    return { kind: finality === 'alarm' ? 'unclear' : 'sound', answer };
  }

  async #mined(
    client: ArcClient,
    txid: string,
    path: string | null | undefined,
  ): Promise<Verdict<LedgerAnswer>> {
    const proof = await proveBlock(txid, path, this.#options.headers);
    if (proof.kind === 'proven') {
      const { blockHash, blockHeight, merklePath } = proof;
      return { kind: 'sound', answer: { txid, status: 'MINED', blockHash, blockHeight, merklePath } };
    }
    if (proof.kind === 'contradicted') this.#alarm('proof', client, proof.why, txid);
    // A service that reports MINED shows at least that the network has the transaction.
    return { kind: 'doubtful', answer: { txid, status: 'SEEN_ON_NETWORK' } };
  }

  /** Reports an unusable answer. @throws LedgerUnavailableError always: the call may be repeated */
  #unusable(client: ArcClient, reply: ArcReply, code: number, txid?: string): never {
    client.failed(reply.retryAfterMs);
    const words = client.redacted(wordsOf(reply.json));
    const detail = words === '' ? String(code) : `${code} ${words}`;
    if (codeMeaning(code) === 'alarm') this.#alarm('code', client, detail, txid);
    throw new LedgerUnavailableError(`the ledger service ${client.name} answers ${detail}`);
  }

  /** Reports a wrong answer. @throws LedgerUnavailableError always */
  #wrong(client: ArcClient, reply: ArcReply, what: string, txid?: string): never {
    client.failed(reply.retryAfterMs);
    this.#alarm('answer', client, what, txid);
    throw new LedgerUnavailableError(`the ledger service ${client.name} answers with ${what}`);
  }

  #alarm(reason: ArcAlarm['reason'], client: ArcClient, detail: string, txid?: string): void {
    this.#options.onAlarm({ reason, endpoint: client.name, detail, ...(txid !== undefined && { txid }) });
  }

  #submitHeaders(): Record<string, string> {
    const { callback } = this.#options;
    const sent = { 'content-type': 'application/json' };
    if (callback === undefined) return sent;
    return {
      ...sent,
      'x-callbackurl': callback.url,
      'x-callbacktoken': callback.token,
      'x-fullstatusupdates': 'true',
    };
  }
}

const rateOf = ({ bytes, satoshis }: FeePolicy): number => satoshis / bytes;

const unavailable = (whys: readonly string[]): LedgerUnavailableError =>
  new LedgerUnavailableError(whys.join('; '));

function refused<T>(answer: T, why: string, isFinal: boolean): Verdict<T> {
  return { kind: 'refused', answer, why: `the ledger service refuses: ${why}`, isFinal };
}
