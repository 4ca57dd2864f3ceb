/** The published log, which anchoring answers at the root of the address, not below /api/v1. */
import { ERRORS, type ErrorCode } from '@sentinel-node/contracts';
import type { DescribedCall } from './document.ts';

const BYTES = 'application/octet-stream';
const NOTE = 'text/plain';
const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

interface LogCall {
  readonly summary: string;
  readonly description: string;
  readonly params?: Readonly<Record<string, { readonly pattern: string; readonly example: string }>>;
  readonly produces: string;
  readonly schema: object;
  readonly example?: unknown;
  readonly refuses: readonly ErrorCode[];
  /** Answers 304 to `If-None-Match`. */
  readonly tagged?: boolean;
}

const size = { pattern: '^[1-9][0-9]{0,14}$', example: '2' };
const batch = { pattern: '^(0|[1-9][0-9]{0,14})$', example: '1' };
const index = {
  pattern: '^(x[0-9]{3}/)*[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$',
  example: 'x001/x234/067.p/8',
};
const TILES_OF =
  'Groups of three digits, all but the last with an `x`; `.p/<width>` at the end for a partial tile. The slashes stand in the path as they are. Never changes: it may be kept for ever. docs/formats.md has the rules.';
const tile = { produces: BYTES, schema: { type: 'string', format: 'binary' }, tagged: true } as const;
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const CALLS: Readonly<Record<string, LogCall>> = {
  '/checkpoint': {
    summary: 'The signed size and root of the log',
    description:
      'C2SP tlog-checkpoint in a signed note, with the cosignatures of witnesses (C2SP tlog-cosignature) that there are. `sentinel trust --vkey` prints the key for verifiers.',
    produces: NOTE,
    schema: { type: 'string' },
    example: `sentinel-node/ee6ce27eafe047c0\n2\n2w1jm4hM73T+bT+WLTey1bO0TzIKaxA0h2pZTAhyduc=\n\n— sentinel-node/ee6ce27eafe047c0 c4qcUQjRFcvjgAjuyADvj3IIJRY4l8Nqx8rNBCscnCX0JS5YeirJ3GjqDYsN/V+/8JD6cwxbXrxFowMKMCExhEvZhQ8=\n`,
    refuses: ['UNAVAILABLE'],
  },
  '/tile/{level}/{index}': {
    ...tile,
    summary: 'Hashes of the tree of the log',
    description: `C2SP tlog-tiles: up to 256 hashes of 32 bytes. ${TILES_OF}`,
    params: { level: { pattern: '^([0-9]|[1-5][0-9]|6[0-3])$', example: '0' }, index },
    refuses: ['NOT_FOUND', 'OVERLOADED', 'UNAVAILABLE'],
  },
  '/tile/entries/{index}': {
    ...tile,
    summary: 'Entries of the log: batch headers',
    description: `C2SP tlog-tiles: up to 256 entries, each a length (u16) and the 182 bytes of a batch header. ${TILES_OF}`,
    params: { index },
    refuses: ['NOT_FOUND', 'OVERLOADED', 'UNAVAILABLE'],
  },
  '/batches/{batch}': {
    summary: 'One batch, with its header and transaction',
    description: 'Batches count from 0.',
    params: { batch },
    produces: JSON_TYPE,
    schema: {
      type: 'object',
      properties: { batch: { type: 'integer' }, header: { type: 'string' }, transaction: { type: 'object' } },
    },
    refuses: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  '/batches/{batch}/proof': {
    summary: 'That a batch is in the log of the newest checkpoint',
    description: 'C2SP tlog-proof; `extra` is the batch header, which is the entry of the log.',
    params: { batch },
    produces: NOTE,
    schema: { type: 'string' },
    refuses: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAVAILABLE'],
  },
  '/consistency/{from}/{to}': {
    summary: 'That the log of `from` batches is the beginning of the log of `to`',
    description: 'RFC 6962 section 2.1.2, hashes in hex.',
    params: { from: size, to: { ...size, example: '5' } },
    produces: JSON_TYPE,
    schema: {
      type: 'object',
      required: ['format', 'from', 'to', 'path'],
      properties: {
        format: { const: 'sentinel/consistency/v1' },
        from: { type: 'integer' },
        to: { type: 'integer' },
        path: { type: 'array', items: hash },
      },
    },
    example: {
      format: 'sentinel/consistency/v1',
      from: 2,
      to: 5,
      path: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
    },
    refuses: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
};

/** Paths of an OpenAPI document; each call names its own server. */
export const LOG_PATHS: Readonly<Record<string, { get: DescribedCall }>> = Object.fromEntries(
  Object.entries(CALLS).map(([path, call]) => [path, { get: described(call) }]),
);

function described({
  summary,
  description,
  params = {},
  tagged,
  refuses,
  ...answer
}: LogCall): DescribedCall {
  const { produces, schema, example } = answer;
  return {
    'x-access': 'public',
    servers: [{ url: '/', description: 'The published log' }],
    tags: ['log'],
    summary,
    description,
    security: [],
    parameters: Object.entries(params).map(([name, { pattern, example: shown }]) => ({
      ...{ name, in: 'path', required: true, example: shown },
      schema: { type: 'string', pattern },
    })),
    responses: {
      200: {
        description: 'The answer',
        content: { [produces]: { schema, ...(example === undefined ? {} : { example }) } },
      },
      ...(tagged === true
        ? { 304: { description: 'The content has not changed: `If-None-Match` names its tag' } }
        : {}),
      ...refusals(refuses),
    },
  };
}

function refusals(codes: readonly ErrorCode[]): DescribedCall['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes)
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  const schema = { $ref: '#/components/schemas/Problem' };
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      { description: of.join(', '), content: { [PROBLEM_TYPE]: { schema } } },
    ]),
  );
}
