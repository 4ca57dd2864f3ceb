/** Answers of ARC (bitcoin-sv/arc `pkg/api/arc.yaml`) and Arcade (`openapi/arcade.openapi.yaml`), checked. */
import { Type, type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { lazily } from '../../ambient/lazily.ts';
import type { FeePolicy } from '../../ports/ledger.ts';
import { ARC_LIMITS } from './limits.ts';

const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Open: services add members. What a block is said to be is not read, the proof tells it. */
const TransactionSchema = Type.Object({
  txid: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  txStatus: Type.String({ minLength: 1, maxLength: 64 }),
  /** BRC-74, hex. */
  merklePath: nullableText,
  extraInfo: nullableText,
});
export type ArcTransaction = Static<typeof TransactionSchema>;

/** RFC 7807 in ARC; Arcade says `error` and `reason`. */
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

/** Each is undefined for what is not of its form. */
export const readTransaction = reader(TransactionSchema);
const readProblem = reader(ProblemSchema);
const readPolicy = reader(PolicySchema);

/** Words of a refusal, for a person. */
export function wordsOf(json: unknown): string {
  const { title, detail, error, reason, extraInfo } = readProblem(json) ?? {};
  return [title ?? error, detail ?? reason, extraInfo].filter(Boolean).join('; ');
}

/** Number of the ARC error that a body names. */
export function namedCode(json: unknown): number | undefined {
  return readProblem(json)?.status;
}

/** Whether a 404 is about the transaction; that of another server at a wrong address is not. */
export function saysUnknown(json: unknown): boolean {
  const problem: ArcProblem | undefined = readProblem(json);
  return problem !== undefined && (problem.status === 404 || problem.error !== undefined);
}

/** undefined: not of the form, or a fee that is not paid. */
export function feePolicyOf(json: unknown): FeePolicy | undefined {
  const fee = readPolicy(json)?.policy.miningFee;
  if (fee === undefined || fee.satoshis > fee.bytes * ARC_LIMITS.satoshisPerByte) return undefined;
  return { satoshis: fee.satoshis, bytes: fee.bytes };
}

/** JSON text as a value; undefined: not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Milliseconds that Retry-After (RFC 9110 10.2.3) asks for; 0: nothing that can be read. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const wanted = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), ARC_LIMITS.retryAfterMs) : 0;
}
