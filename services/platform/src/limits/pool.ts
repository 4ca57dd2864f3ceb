/** A number in the pool's unit, or words where the amount depends on something. */
export type Amount = number | string;

/** Something limited that many share: memory, places in a queue, calls in a time, entries of a cache. */
export interface PoolSpec {
  /** What takes room. */
  readonly holds: string;
  readonly unit: string;
  /** Of one process. */
  readonly whole?: Amount;
  /** Or why an organisation needs no share: `none: …`. */
  readonly organization: Amount;
  readonly device?: Amount;
  readonly person?: Amount;
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly address?: Amount;
  /** What stays for others when one takes all it can. */
  readonly reserve?: string;
  /** The metric that shows the use; undefined: `metrics.pool` does; null: nothing does. */
  readonly metric?: string | null;
  /** What whoever comes when the pool, or the share, is full is told; or what gives way. */
  readonly whenFull: string;
}

export interface Pool extends PoolSpec {
  readonly name: string;
}

/** Gives each pool its name. */
export function definePools<K extends string>(
  specs: Readonly<Record<K, PoolSpec>>,
): Readonly<Record<K, Pool>> {
  const named = Object.entries<PoolSpec>(specs).map(([name, spec]) => [name, { name, ...spec }]);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- made from the very keys
  return Object.fromEntries(named) as Readonly<Record<K, Pool>>;
}

/** The share of a `FairPool`'s group. */
export const AS_MUCH_AS_IS_FREE = 'as much as is free';
/** An organisation's share of a cache. */
export const READ_AGAIN = 'none: whatever gave way is read again';
/** An organisation's share where a share by something smaller holds. */
export const BY_DEVICE = 'none: the devices have theirs';
export const LEAST_RECENTLY_USED = 'the least recently used gives way';
