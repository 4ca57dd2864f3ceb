import type { Metrics } from '@sentinel-node/platform';
import { QUERY_POOLS } from '../pools.ts';
import type { Summaries } from './summaries.ts';

export function summaryMetrics(metrics: Metrics, summaries: Pick<Summaries, 'used'>): void {
  metrics.pool(QUERY_POOLS['known-files'], () => summaries.used);
}
