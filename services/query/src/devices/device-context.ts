import type { QueryContext } from '../context.ts';
import { DeviceQuota } from './device-quota.ts';
import { RegexpCheck } from './regexps/regexp-check.ts';

/** The context of commands on devices. */
export interface DeviceContext extends QueryContext {
  readonly quota: DeviceQuota;
  /** The service stops the check when it stops. */
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
