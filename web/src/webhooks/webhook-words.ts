import type { WebhookShape } from '@sentinel-node/contracts';
import type { Webhook } from '../answers.ts';
import type { TokenLook } from '../components/TokensTable.tsx';

export const shapeWord: Record<WebhookShape, string> = {
  cloudevents: 'CloudEvents',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  ocsf: 'OCSF, for a SIEM',
};

/** Returns a webhook's badge, never green before a successful delivery, nor where only tests are sent. */
export function webhookLook({ enabled, disabledBecause, lastAttempt, rules }: Webhook): TokenLook {
  if (!enabled && disabledBecause === 'GONE')
    return { word: 'Disabled by its receiver', tone: 'danger', icon: 'unplugged' };
  if (!enabled) return { word: 'Disabled', tone: 'neutral' };
  if (lastAttempt?.delivered === false) return { word: 'Failing', tone: 'danger', icon: 'alert' };
  if (rules.length === 0) return { word: 'No rule tells it', tone: 'warning', icon: 'alert' };
  return lastAttempt === null
    ? { word: 'Never used', tone: 'neutral' }
    : { word: 'Delivering', tone: 'success', icon: 'check' };
}

/** Returns the result of an attempt: `200`, or why there was no answer. */
export const answerWord = ({
  status,
  problem,
}: {
  readonly status: number | null;
  readonly problem: string | null;
}): string => (status === null ? (problem ?? 'No answer') : `Status ${status}`);

/** Returns `after 84 ms`; empty where the problem names its time, as one that did not come in time does. */
export const timeWord = ({
  ms,
  problem,
  status,
}: {
  readonly ms: number;
  readonly problem: string | null;
  readonly status: number | null;
}): string => (status === null && / within \d/.test(problem ?? '') ? '' : `after ${shortTime(ms)}`);

const shortTime = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;
