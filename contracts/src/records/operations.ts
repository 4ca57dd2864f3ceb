/**
 * Records of `sentinel.operations.v1` (key: `kind`): facts of the operator's services that concern the evidence of every
 * organisation. One record when such a state begins, and one when it ends. They hold no amounts, keys or addresses.
 */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { closed, CountSchema, MillisecondsSchema, nullable } from '../schemas/common.ts';

export const OPERATION_KINDS = ['anchoring', 'funds', 'evidence'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

export const OperationRecordSchema = closed({
  v: Type.Literal(1),
  kind: oneOf(OPERATION_KINDS),
  /** Counts the changes of this kind. */
  rev: CountSchema,
  /** When the change was found. */
  at: MillisecondsSchema,
  /** `wrong` anchoring: nothing is anchored; funds: they end soon; evidence: recorded and anchored data differ. */
  state: oneOf(['wrong', 'right']),
  /** Why, in a few words for people of every organisation. */
  why: Type.String(),
  /** First affected batch. */
  batch: nullable(CountSchema),
});
export type OperationRecord = Static<typeof OperationRecordSchema>;
