import type { Answer } from '../net/server.ts';
import { Latencies } from './latencies.ts';

/** Most causes of failures counted by name; further ones are counted together. */
const CAUSES = 20;

/** Counts the calls and reports of all simulated agents. */
export class Tally {
  /** Reports made, and reports skipped because too many waited. */
  made = 0;
  skipped = 0;
  /** Reports in calls; a report sent again counts again. */
  sent = 0;
  accepted = 0;
  /** Reports dropped after a refusal for good: the refused report and the file's later ones. */
  refused = 0;
  readonly calls = { single: 0, bulk: 0, failed: 0 };
  readonly heartbeats = { sent: 0, answered: 0 };
  /** Time of the last accepted report by this machine's clock, in ms since 1970. */
  lastAcceptedMs: number | undefined;
  /** Times of successful report calls, from sending to the answer. */
  readonly callMs = new Latencies();
  /** Times of accepted reports, from making to the 202. */
  readonly acceptedMs = new Latencies();
  /** Number of failed calls and refused reports, by cause. */
  readonly causes = new Map<string, number>();

  failed(answer: Exclude<Answer<unknown>, { kind: 'ok' }>): void {
    this.countCause(answer.kind === 'refused' ? `${answer.status} ${answer.code}` : answer.detail);
  }

  countCause(cause: string): void {
    const name = this.causes.has(cause) || this.causes.size < CAUSES ? cause : 'others';
    this.causes.set(name, (this.causes.get(name) ?? 0) + 1);
  }
}
