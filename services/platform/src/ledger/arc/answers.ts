/** Checks answers of ARC (bitcoin-sv/arc `pkg/api/arc.yaml`) and Arcade (`openapi/arcade.openapi.yaml`). */
import { Type, type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { lazily } from '../../ambient/lazily.ts';
import type { FeePolicy } from '../../ports/ledger.ts';
import { ARC_LIMITS } from './limits.ts';

const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Open schema: services add members. Fields about the block are not read, because the proof shows the block. */
const TransactionSchema = Type.Object({
  txid: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  txStatus: Type.String({ minLength: 1, maxLength: 64 }),
  /** BRC-74, hex. */
  merklePath: nullableText,
  extraInfo: nullableText,
});
export type ArcTransaction = Static<typeof TransactionSchema>;

/** RFC 7807 in ARC; Arcade uses `error` and `reason`. */
const ProblemSchema = Type.Object({
  status: Type.Optional(Type.Integer()),
  title: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  extraInfo: nullableText,
});
type ArcProblem = Static<typeof ProblemSchema>;

const PolicySchema = Type.Object({
  policy: Type.Object({
    miningFee: Type.Object({
      satoshis: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      bytes: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
  }),
});

const reader = <T extends TSchema>(schema: T): ((json: unknown) => Static<T> | undefined) => {
  const compiled = lazily(() => Compile(schema));
  return (json) => (compiled().Check(json) ? (json as Static<T>) : undefined);
};

/** Each reader returns undefined for a value of another form. */
export const readTransaction = reader(TransactionSchema);
const readProblem = reader(ProblemSchema);
const readPolicy = reader(PolicySchema);

/** Returns a refusal's text, for a person. */
export function wordsOf(json: unknown): string {
  const { title, detail, error, reason, extraInfo } = readProblem(json) ?? {};
  return [title ?? error, detail ?? reason, extraInfo].filter(Boolean).join('; ');
}

/** Returns the number of the ARC error in a body. */
export function namedCode(json: unknown): number | undefined {
  return readProblem(json)?.status;
}

/** Returns whether a 404 is about the transaction; the 404 of another server at a wrong address is not. */
export function isUnknownTransaction(json: unknown): boolean {
  const problem: ArcProblem | undefined = readProblem(json);
  return problem !== undefined && (problem.status === 404 || problem.error !== undefined);
}

/** Returns the fee policy; undefined for another form, or for a fee that is too high to be paid. */
export function feePolicyOf(json: unknown): FeePolicy | undefined {
  const fee = readPolicy(json)?.policy.miningFee;
  if (fee === undefined || fee.satoshis > fee.bytes * ARC_LIMITS.satoshisPerByte) return undefined;
  return { satoshis: fee.satoshis, bytes: fee.bytes };
}

/** Parses JSON; returns undefined for other texts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
