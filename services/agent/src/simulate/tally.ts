import type { Answer } from '../net/server.ts';
import { Latencies } from './latencies.ts';

/** Different causes of failures that are counted by name; the others are counted together. */
const CAUSES = 20;

/** What all simulated agents did, and what came of it. */
export class Tally {
  /** Reports that were made, and those that were not because too many waited. */
  made = 0;
  skipped = 0;
  /** Reports in calls; one that is sent again counts again. */
  sent = 0;
  accepted = 0;
  /** Reports that the server refused for good, and those that build on them. */
  refused = 0;
  readonly calls = { single: 0, bulk: 0, failed: 0 };
  readonly heartbeats = { sent: 0, answered: 0 };
  /** Milliseconds since 1970 of the last 202 for a report, by this machine's clock. */
  lastAcceptedMs: number | undefined;
  /** Of a call for reports that did not fail, from its sending to its answer. */
  readonly callMs = new Latencies();
  /** Of a report, from its making to its 202. */
  readonly acceptedMs = new Latencies();
  /** How often calls failed and reports were refused, by cause. */
  readonly causes = new Map<string, number>();

  failed(answer: Exclude<Answer<unknown>, { kind: 'ok' }>): void {
    this.because(answer.kind === 'refused' ? `${answer.status} ${answer.code}` : answer.detail);
  }

  because(cause: string): void {
    const name = this.causes.has(cause) || this.causes.size < CAUSES ? cause : 'others';
    this.causes.set(name, (this.causes.get(name) ?? 0) + 1);
  }
}
