import type { BulkAnswer, BulkLine } from '@sentinel-node/contracts';
import type { Answer, Server } from '../net/server.ts';
import type { Tally } from './tally.ts';

const UNAUTHORIZED = 401;
/** Answer for a report that was not sent because an earlier one was not accepted. */
const LATER = { line: 1, code: 'UNAVAILABLE', detail: 'not sent' } as const;

export interface ReportCallsOptions {
  readonly server: Server;
  readonly tally: Tally;
  readonly steadyMs: () => number;
  /** Whether each report is sent in its own call. */
  readonly single: boolean;
}

/** Makes and counts the calls of a simulated agent's sender. A single report uses the call for one report. */
export class ReportCalls implements Pick<Server, 'bulk' | 'close'> {
  readonly #server: Server;
  readonly #tally: Tally;
  readonly #steadyMs: () => number;
  readonly #isSingle: boolean;

  constructor({ server, tally, steadyMs, single }: ReportCallsOptions) {
    this.#server = server;
    this.#tally = tally;
    this.#steadyMs = steadyMs;
    this.#isSingle = single;
  }

  close(): void {
    this.#server.close();
  }

  async bulk(lines: readonly string[]): Promise<Answer<BulkAnswer>> {
    return this.#isSingle && lines.length > 1 ? this.#oneByOne(lines) : this.#call(lines);
  }

  /** Sends the lines one by one up to the first not accepted; the later ones must wait, which keeps their order. */
  async #oneByOne(lines: readonly string[]): Promise<Answer<BulkAnswer>> {
    for (const [accepted, line] of lines.entries()) {
      const answer = await this.#call([line]);
      if (answer.kind !== 'ok' && accepted === 0) return answer;
      const problem = answer.kind === 'ok' ? answer.value.rejected[0] : LATER;
      if (problem === undefined) continue;
      const rest = lines.slice(accepted + 1).map((_, n) => ({ ...LATER, line: accepted + n + 2 }));
      return { kind: 'ok', value: { accepted, rejected: [{ ...problem, line: accepted + 1 }, ...rest] } };
    }
    return { kind: 'ok', value: { accepted: lines.length, rejected: [] } };
  }

  async #call(lines: readonly string[]): Promise<Answer<BulkAnswer>> {
    const began = this.#steadyMs();
    const [only, ...others] = lines;
    const isSingle = only !== undefined && others.length === 0;
    this.#tally.sent += lines.length;
    this.#tally.calls[isSingle ? 'single' : 'bulk'] += 1;
    const answer = isSingle ? await this.#single(only) : await this.#server.bulk(lines);
    if (answer.kind === 'ok') {
      this.#tally.callMs.add(this.#steadyMs() - began);
      for (const { code } of answer.value.rejected) this.#tally.countCause(code);
    } else {
      this.#tally.calls.failed += 1;
      this.#tally.failed(answer);
    }
    return answer;
  }

  /** Sends one report and returns the answer in the form of a bulk answer. */
  async #single(line: string): Promise<Answer<BulkAnswer>> {
    const { fileId, ...report }: BulkLine = JSON.parse(line);
    const answer = await this.#server.report(fileId, report);
    if (answer.kind === 'ok') return { kind: 'ok', value: { accepted: 1, rejected: [] } };
    if (answer.kind === 'unreachable' || answer.status === UNAUTHORIZED) return answer;
    const { code, status } = answer;
    return { kind: 'ok', value: { accepted: 0, rejected: [{ line: 1, code, detail: `HTTP ${status}` }] } };
  }
}
