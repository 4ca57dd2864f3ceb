import type { QueryContext } from '../context.ts';
import { DeviceQuota } from './device-quota.ts';
import { RegexpCheck } from './regexps/regexp-check.ts';

/** What commands on devices need beside what every feature has. */
export interface DeviceContext extends QueryContext {
  readonly quota: DeviceQuota;
  /** Stopped with the service. */
  readonly regexps: RegexpCheck;
}

export function deviceContext(context: QueryContext): DeviceContext {
  const regexps = new RegexpCheck();
  context.metrics.observedGauge(
    { name: 'query_regexps_waiting', help: 'Expressions for archives that wait for their check' },
    () => regexps.waiting,
  );
  return { ...context, quota: new DeviceQuota(context), regexps };
}
