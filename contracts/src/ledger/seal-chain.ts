/** The seals file (docs/formats.md, "Chain of seals"): every batch of a log with its transaction, from the genesis on. */
import { Type, type Static } from 'typebox';
import { equalBytes, fromHex } from '../bytes/bytes.ts';
import { leafHash } from '../log/merkle.ts';
import { CompactRange } from '../log/merkle-consistency.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';
import { parseTransaction, SEAL_OUTPUT } from './transaction.ts';
import { closed, CountSchema, HashSchema } from '../schemas/common.ts';
import {
  checkSeal,
  SEAL_FAILURES,
  type Seal,
  type SealFailure,
  type SealTip,
  type SpendCheck,
} from './seal.ts';
import { readStrictJson, type UnreadableJson } from '../bytes/strict-json.ts';

export const SEALS_FORMAT = 'sentinel/seals/v1';

/** Limits of a line. Longer lines are refused before parsing. */
export const SEAL_LIMITS = { documentBytes: 524_288, nesting: 4, spends: 64, scriptBytes: 10_000 } as const;

const bytesOfAtMost = (bytes: number) => Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 2 * bytes });

/** First line of the file. */
export const SealsHeadSchema = closed({
  format: Type.Literal(SEALS_FORMAT),
  logId: HashSchema,
  network: Type.String({ pattern: '^[a-z0-9-]{1,32}$' }),
});
export type SealsHead = Static<typeof SealsHeadSchema>;

/** Every line after the first. */
export const SealLineSchema = closed({
  batch: CountSchema,
  header: Type.String({ pattern: '^[0-9a-f]{364}$' }),
  raw: bytesOfAtMost(PROOF_LIMITS.transactionBytes),
  /** Outputs that the inputs spend besides the previous seal. */
  spends: Type.Array(closed({ satoshis: CountSchema, script: bytesOfAtMost(SEAL_LIMITS.scriptBytes) }), {
    maxItems: SEAL_LIMITS.spends,
  }),
});
export type SealLine = Static<typeof SealLineSchema>;

export interface SealsProblem {
  readonly code: SealFailure | UnreadableJson | 'SEALS_OF_OTHER_LOG';
  /** undefined in the first line. */
  readonly batch: number | undefined;
  readonly text: string;
}

/** Hashes of a batch whose seal was checked; 32 bytes each. */
export interface SealedBatch {
  readonly hash: Uint8Array;
  readonly headerHash: Uint8Array;
  readonly logRoot: Uint8Array;
}

export interface SealChainTrust {
  readonly logId: Uint8Array;
  readonly network: string;
  readonly genesisTxid: string;
}

/** Checks the lines of a seals file in their order. Keeps about 100 bytes a batch. */
export class SealChain {
  readonly #trust: SealChainTrust;
  readonly #verifySpend: SpendCheck;
  readonly #log = new CompactRange();
  readonly #batches: SealedBatch[] = [];
  #tip: SealTip | undefined;

  constructor(trust: SealChainTrust, verifySpend: SpendCheck) {
    this.#trust = trust;
    this.#verifySpend = verifySpend;
  }

  /** Number of batches whose seals hold. */
  get size(): number {
    return this.#batches.length;
  }

  batch(number: number): SealedBatch | undefined {
    return this.#batches[number];
  }

  /** Checks the first line. Returns the problem when it is not of the seals of the trusted log. */
  begin(line: Uint8Array): SealsProblem | undefined {
    const read = readStrictJson(line, SealsHeadSchema, SEAL_LIMITS);
    if ('problem' in read) return problem(read.problem, undefined, unreadable(read.member));
    const { logId, network } = read.value;
    return equalBytes(fromHex(logId), this.#trust.logId) && network === this.#trust.network
      ? undefined
      : problem(
          'SEALS_OF_OTHER_LOG',
          undefined,
          'The seals are of another log or network than the trusted one.',
        );
  }

  /** Checks the next line. Returns its problem; after a problem no more lines may be added. */
  add(line: Uint8Array): SealsProblem | undefined {
    const read = readStrictJson(line, SealLineSchema, SEAL_LIMITS);
    if ('problem' in read) return problem(read.problem, this.size, unreadable(read.member));
    const { batch, header, raw, spends } = read.value;
    const place = batch < this.size ? 'SEAL_BRANCH' : batch > this.size ? 'SEAL_GAP' : undefined;
    if (place !== undefined) return problem(place, batch, SEAL_FAILURES[place]);
    const seal = {
      header: fromHex(header),
      raw: fromHex(raw),
      spends: spends.map(({ satoshis, script }) => ({ satoshis, script: fromHex(script) })),
    };
    return this.#follow(seal);
  }

  #follow(seal: Seal): SealsProblem | undefined {
    const batch = this.size;
    this.#log.append(leafHash(seal.header));
    const logRoot = this.#log.root();
    const { logId, genesisTxid } = this.#trust;
    const place = { batch, logId, logRoot, before: this.#tip, genesisTxid };
    const { failure, tip } = checkSeal(seal, place, this.#verifySpend);
    const code = failure === 'SEAL_NOT_SPENT' && this.#spendsAgain(seal) ? 'SEAL_BRANCH' : failure;
    if (code !== undefined) return problem(code, batch, SEAL_FAILURES[code]);
    this.#tip = tip!;
    this.#batches.push({ hash: tip!.hash, headerHash: tip!.headerHash, logRoot });
    return undefined;
  }

  /** Returns true when the transaction spends the seal of a batch that already has a successor. */
  #spendsAgain({ raw }: Seal): boolean {
    const { previous, outputIndex } = parseTransaction(raw)!.inputs[0]!;
    return outputIndex === SEAL_OUTPUT && this.#batches.some(({ hash }) => equalBytes(hash, previous));
  }
}

const unreadable = (member: string | undefined): string =>
  member === undefined || member === ''
    ? 'The line has not the form of a line of seals.'
    : `The line has not the form of a line of seals, at ${member}.`;

const problem = (code: SealsProblem['code'], batch: number | undefined, text: string): SealsProblem => ({
  code,
  batch,
  text,
});
