import type { Condition, Document } from '@sentinel-node/platform';

/** Identifier that an adapter may store in another form. */
export const UUID = '0194b2c0-0000-7000-8000-000000000001';

/** Documents by name, with every kind of value that a condition can meet. */
export const KINDS: readonly Document[] = [
  { id: 'absent' },
  { id: 'null', v: null },
  { id: 'n-1', v: -1 },
  { id: 'n0', v: 0 },
  { id: 'n1', v: 1 },
  { id: 'n1.5', v: 1.5 },
  { id: 'nmax', v: Number.MAX_SAFE_INTEGER },
  { id: 'nmax-1', v: Number.MAX_SAFE_INTEGER - 1 },
  { id: 's', v: '' },
  { id: 's1', v: '1' },
  { id: 'sA', v: 'A' },
  { id: 'sa', v: 'a' },
  { id: 'sab', v: 'ab' },
  { id: 'sb', v: 'b' },
  { id: 'squote', v: "a' OR '1'='1" },
  { id: 'sz', v: 'zoë \u{1F511}' },
  { id: 'true', v: true },
  { id: 'false', v: false },
  { id: 'uuid', v: UUID },
];

/** Conditions on `v`, with the ids that each matches. */
export const MATCHES: readonly (readonly [Condition, string])[] = [
  [null, 'absent null'],
  [1, 'n1'],
  [0, 'n0'],
  [1.5, 'n1.5'],
  [Number.MAX_SAFE_INTEGER, 'nmax'],
  ['1', 's1'],
  ['', 's'],
  [true, 'true'],
  [false, 'false'],
  [UUID, 'uuid'],
  ["a' OR '1'='1", 'squote'],
  ['nothing', ''],
  [{ in: [1, 'a', true, 'nothing'] }, 'n1 sa true'],
  [{ in: [null, UUID, 0] }, 'absent n0 null uuid'],
  [{ in: [] }, ''],
  [{ gt: 0 }, 'n1 n1.5 nmax nmax-1'],
  [{ gte: 0, lt: 1.5 }, 'n0 n1'],
  [{ lte: 0 }, 'n-1 n0'],
  [{ gt: Number.MAX_SAFE_INTEGER - 1 }, 'nmax'],
  [{ gt: 'a' }, 'sab sb squote sz'],
  [{ gte: 'A', lte: 'a' }, 'sA sa'],
  [{ lt: 'A' }, 's s1 uuid'],
  [{ prefix: 'a' }, 'sa sab squote'],
  [{ prefix: 'zoë \u{1F511}' }, 'sz'],
  [{ prefix: '' }, 's s1 sA sa sab sb squote sz uuid'],
  [{ prefix: '%' }, ''],
];
