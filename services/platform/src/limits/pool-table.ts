import type { Amount, Pool } from './pool.ts';

const MIB = 1_048_576;
const KIB = 1_024;
const HEADS = [
  'pool',
  'unit',
  'process',
  'organisation',
  'device',
  'person',
  'address',
  'reserve',
  'metric',
  'when full',
];

/** Returns the Markdown table of one service's pools. */
export function poolTable(pools: readonly Pool[]): string {
  const rows = pools.map((pool) => [
    `**${pool.name}**: ${pool.holds}`,
    pool.unit,
    ...[pool.whole, pool.organization, pool.device, pool.person, pool.address].map((amount) =>
      shown(amount, pool.unit),
    ),
    pool.reserve ?? '',
    metricOf(pool),
    pool.whenFull,
  ]);
  return [HEADS, HEADS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function metricOf({ name, metric }: Pool): string {
  if (metric === null) return '–';
  return `\`${metric ?? `sentinel_pool_used{pool="${name}"}`}\``;
}

function shown(amount: Amount | undefined, unit: string): string {
  if (amount === undefined) return '–';
  if (typeof amount === 'string') return amount;
  if (unit === 'bytes' && amount % MIB === 0) return `${amount / MIB} MiB`;
  if (unit === 'bytes' && amount % KIB === 0) return `${amount / KIB} KiB`;
  return amount.toLocaleString('en');
}
