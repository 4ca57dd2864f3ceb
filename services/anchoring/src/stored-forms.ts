/** Forms of stored documents that a comparison reads: with them no comparison fails on a value of another type. */
import { CountSchema, nullable } from '@sentinel-node/contracts';
import { compileChecker } from '@sentinel-node/platform';
import { Type } from 'typebox';

const Hex = Type.String({ pattern: '^(?:[0-9a-f]{2})*$' });

const Signed = {
  rawTx: Hex,
  extendedTx: Type.String(),
  inputs: Type.Array(Type.String()),
  funds: Type.Number(),
  fee: Type.Number(),
};

/** Of a `CutDocument`. */
export const cutForm = compileChecker(
  Type.Object({
    cut: Type.Object({ headerHash: Hex, logRoot: Hex }),
    log: Type.Object({ headerHash: Type.String() }),
    next: Type.Array(Type.Object({ partition: CountSchema, offset: CountSchema })),
  }),
);

/** Of a `TransactionDocument`. */
export const transactionForm = compileChecker(
  Type.Object({
    ...Signed,
    network: Type.String(),
    batch: Type.Number(),
    replaced: Type.Optional(Type.Array(Type.Object({ ...Signed, txid: Type.String() }))),
    record: Type.Object({
      rev: Type.Number(),
      at: Type.Number(),
      batch: Type.Number(),
      cut: Type.Object({}),
      transaction: nullable(
        Type.Object({
          txid: Hex,
          status: Type.String(),
          blockHash: nullable(Type.String()),
          blockHeight: nullable(CountSchema),
          merklePath: nullable(Hex),
        }),
      ),
      evidence: Type.Optional(Type.Object({ transaction: nullable(Type.Object({})) })),
    }),
  }),
);
