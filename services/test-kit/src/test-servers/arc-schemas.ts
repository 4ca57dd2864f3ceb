/** Answers of ARC as in its OpenAPI document (bitcoin-sv/arc `pkg/api/arc.yaml`), closed. */
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false };
const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const status = Type.Enum([
  'UNKNOWN',
  'QUEUED',
  'RECEIVED',
  'STORED',
  'ANNOUNCED_TO_NETWORK',
  'REQUESTED_BY_NETWORK',
  'SENT_TO_NETWORK',
  'ACCEPTED_BY_NETWORK',
  'SEEN_IN_ORPHAN_MEMPOOL',
  'SEEN_ON_NETWORK',
  'DOUBLE_SPEND_ATTEMPTED',
  'REJECTED',
  'MINED_IN_STALE_BLOCK',
  'MINED',
]);

const stateMembers = {
  timestamp: Type.String(),
  blockHash: Type.Optional(Type.String()),
  blockHeight: Type.Optional(Type.Integer({ minimum: 0 })),
  txid: Type.String(),
  merklePath: optionalText,
  txStatus: status,
  extraInfo: optionalText,
  competingTxs: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
};

/** Answer to `GET /v1/tx/{txid}`, and body of a callback. */
export const ArcStateSchema = Type.Object(stateMembers, closed);
export type ArcState = Static<typeof ArcStateSchema>;

/** Answer to `POST /v1/tx`. */
export const ArcSubmittedSchema = Type.Object(
  { ...stateMembers, status: Type.Integer(), title: Type.String() },
  closed,
);

export const ArcProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: optionalText,
    txid: optionalText,
    extraInfo: optionalText,
  },
  closed,
);

export const ArcPolicySchema = Type.Object(
  {
    timestamp: Type.String(),
    policy: Type.Object(
      {
        maxscriptsizepolicy: Type.Integer(),
        maxtxsigopscountspolicy: Type.Integer(),
        maxtxsizepolicy: Type.Integer(),
        miningFee: Type.Object({ satoshis: Type.Integer(), bytes: Type.Integer() }, closed),
        standardFormatSupported: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
  },
  closed,
);
