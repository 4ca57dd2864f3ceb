/** A number in the pool's unit, or a text where the amount depends on something. */
export type Amount = number | string;

/** A limited resource that many callers share: memory, places in a queue, calls in a time, entries of a cache. */
export interface PoolSpec {
  /** Things that take room in the pool. */
  readonly holds: string;
  readonly unit: string;
  /** Limit of one process. */
  readonly whole?: Amount;
  /** Limit of one organisation, or the reason why it needs none: `none: …`. */
  readonly organization: Amount;
  readonly device?: Amount;
  readonly person?: Amount;
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly address?: Amount;
  /** Share that stays for others when one caller takes all it can. */
  readonly reserve?: string;
  /** Metric of the use; undefined: the metric of `metrics.pool`; null: no metric. */
  readonly metric?: string | null;
  /** The answer when the pool, or a share, is full; or the entry that is dropped. */
  readonly whenFull: string;
}

export interface Pool extends PoolSpec {
  readonly name: string;
}

/** Defines pools, named by their keys. */
export function definePools<K extends string>(
  specs: Readonly<Record<K, PoolSpec>>,
): Readonly<Record<K, Pool>> {
  const named = Object.entries<PoolSpec>(specs).map(([name, spec]) => [name, { name, ...spec }]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from the very keys
  return Object.fromEntries(named) as Readonly<Record<K, Pool>>;
}

/** Share of a `FairPool`'s group. */
export const AS_MUCH_AS_IS_FREE = 'as much as is free';
/** Share of an organisation in a cache. */
export const READ_AGAIN = 'none: whatever gave way is read again';
export const LEAST_RECENTLY_USED = 'the least recently used gives way';
