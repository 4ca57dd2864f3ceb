import type { AgentConfiguration } from '@sentinel-node/contracts';
import { agentVersion } from '../version.ts';
import type { LatencySummary } from './latencies.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import type { Room, SimulatedFile } from './simulated-file.ts';
import { Tally } from './tally.ts';

/** Most waiting reports of all agents together; at this number no further ones are made. */
const KEPT_REPORTS = 200_000;
/** Interval of checking a condition, in ms. */
const LOOK_MS = 20;

export interface SimulationResult {
  readonly agents: number;
  /** Number of agents that the server had answered when reports began. */
  readonly ready: number;
  /** Devices of the other agents, which made no version. */
  readonly notReady: readonly string[];
  /** Files of the answered agents that the server does not have: they made no version. */
  readonly unknownFiles: readonly string[];
  readonly made: number;
  readonly skipped: number;
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  /** Number of reports still waiting at the end. */
  readonly lost: number;
  readonly calls: Tally['calls'];
  readonly heartbeats: Tally['heartbeats'];
  /** Milliseconds. */
  readonly callMs: LatencySummary;
  readonly acceptedMs: LatencySummary;
  /** ISO 8601; null when no report was accepted. */
  readonly lastAcceptedAt: string | null;
  readonly causes: Readonly<Record<string, number>>;
}

export interface SimulationOptions {
  /** Makes the HTTP calls; default: Node's `fetch`. A proxy or a certificate needs another one. */
  readonly fetch?: typeof fetch;
  /** Whether each report is sent in its own call; otherwise waiting reports share a call. */
  readonly single?: boolean;
}

/** Runs many simulated agents in one process, with simulated outages of the network. */
export class Simulation {
  /** While true, every new call fails; running calls continue. */
  out = false;
  readonly #agents: readonly SimulatedAgent[];
  readonly #tally = new Tally();
  readonly #room: Room = { kept: 0, maxKept: KEPT_REPORTS };
  #next = 0;
  #ready: readonly SimulatedAgent[] = [];
  #turns: readonly { readonly agent: SimulatedAgent; readonly file: SimulatedFile }[] = [];

  private constructor(
    configurations: readonly AgentConfiguration[],
    version: string,
    { fetch: fetchBy = fetch, single = false }: SimulationOptions,
  ) {
    const gate: typeof fetch = (input, init) =>
      this.out ? Promise.reject(new OutageError()) : fetchBy(input, init);
    const [tally, room] = [this.#tally, this.#room];
    this.#agents = configurations.map(
      (configuration) =>
        new SimulatedAgent({ configuration, agentVersion: version, fetch: gate, tally, room, single }),
    );
  }

  /** Starts one agent per configuration; all send their first heartbeat at once. */
  static async start(
    configurations: readonly AgentConfiguration[],
    options: SimulationOptions = {},
  ): Promise<Simulation> {
    const simulation = new Simulation(configurations, await agentVersion(), options);
    for (const agent of simulation.#agents) agent.start();
    return simulation;
  }

  /** Waits until the server has answered every agent. @returns false after the time limit, or when `signal` is aborted */
  async ready(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    const isReady = await within(withinMs, () => this.#agents.every((agent) => agent.isReady), signal);
    this.#ready = this.#agents.filter((agent) => agent.isReady);
    this.#turns = this.#ready.flatMap((agent) =>
      [...agent.files.values()].filter((file) => file.isReady).map((file) => ({ agent, file })),
    );
    return isReady;
  }

  /**
   * Makes `count` versions, one file after the other, of the files that the server knew at `ready`.
   * @returns the number made: less when there is no such file, or too many reports wait
   */
  make(count: number): number {
    let made = 0;
    for (let turn = 0; turn < count && this.#turns.length > 0; turn += 1) {
      const { agent, file } = this.#turns[this.#next % this.#turns.length]!;
      this.#next += 1;
      if (!file.change()) continue;
      agent.wake();
      made += 1;
    }
    return made;
  }

  /** Waits until no report waits. @returns false after the time limit, or when `signal` is aborted */
  drained(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    return within(withinMs, () => this.#room.kept === 0, signal);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()));
  }

  result(): SimulationResult {
    const { made, skipped, sent, accepted, refused, calls, heartbeats, lastAcceptedMs } = this.#tally;
    return {
      agents: this.#agents.length,
      ready: this.#ready.length,
      notReady: this.#agents.filter((agent) => !this.#ready.includes(agent)).map(({ device }) => device),
      unknownFiles: this.#ready.flatMap(({ files }) =>
        [...files.values()].filter((file) => !file.isReady).map(({ id }) => id),
      ),
      made,
      skipped,
      sent,
      accepted,
      refused,
      lost: this.#room.kept,
      calls,
      heartbeats,
      callMs: this.#tally.callMs.summary(),
      acceptedMs: this.#tally.acceptedMs.summary(),
      lastAcceptedAt: lastAcceptedMs === undefined ? null : new Date(lastAcceptedMs).toISOString(),
      causes: Object.fromEntries(this.#tally.causes),
    };
  }
}

/** Failure of a call during a simulated outage; its name is the counted cause. */
class OutageError extends Error {
  override readonly name = 'SIMULATED_OUTAGE';
}

async function within(ms: number, isDone: () => boolean, signal?: AbortSignal): Promise<boolean> {
  const end = performance.now() + ms;
  while (!isDone()) {
    if (performance.now() > end || signal?.aborted === true) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}
