import type { FairPool, Metrics } from '@sentinel-node/platform';
import { STREAM_LIMITS } from './limits.ts';

export function streamMetrics(metrics: Metrics, places: Pick<FairPool, 'used' | 'largest'>): void {
  metrics.observedGauge(
    { name: 'query_streams_open', help: 'Live streams that are open' },
    () => places.used,
  );
  metrics.observedTop(
    {
      name: 'query_streams_open_most',
      help: 'Live streams of the organizations that have most open',
      labels: { organization: STREAM_LIMITS.namedOrganizations },
    },
    () => places.largest(STREAM_LIMITS.namedOrganizations),
  );
}
