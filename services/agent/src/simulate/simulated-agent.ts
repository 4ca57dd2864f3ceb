import { randomUUID } from 'node:crypto';
import type { AgentConfiguration, Heartbeat, HeartbeatAnswer } from '@sentinel-node/contracts';
import { AgentClock } from '../clock.ts';
import { Heart } from '../heart.ts';
import { Server, type Answer } from '../net/server.ts';
import { Sender } from '../sender.ts';
import { ReportCalls } from './report-calls.ts';
import { SimulatedFile, type Room } from './simulated-file.ts';
import type { Tally } from './tally.ts';

const MS_PER_SECOND = 1_000;

export interface SimulatedAgentOptions {
  readonly configuration: AgentConfiguration;
  readonly agentVersion: string;
  readonly fetch: typeof fetch;
  readonly tally: Tally;
  readonly room: Room;
  /** Whether each report is sent in its own call. */
  readonly single: boolean;
}

/** Runs the agent's heartbeats, sender and calls over made-up files, whose reports wait in memory. */
export class SimulatedAgent {
  readonly files: ReadonlyMap<string, SimulatedFile>;
  readonly #options: SimulatedAgentOptions;
  readonly #instanceId = randomUUID();
  readonly #clock = new AgentClock();
  readonly #server: Server;
  readonly #sender: Sender;
  readonly #heart: Heart;
  #configVersion: number | undefined;

  constructor(options: SimulatedAgentOptions) {
    const { configuration, tally, room, single } = options;
    this.#options = options;
    this.#server = new Server(
      configuration,
      (serverMs) => this.#clock.recordServerTime(serverMs),
      options.fetch,
    );
    this.files = new Map(
      configuration.files.map((file) => [
        file.id,
        new SimulatedFile({
          file,
          instanceId: this.#instanceId,
          clock: this.#clock,
          configVersion: () => this.#configVersion,
          tally,
          room,
        }),
      ]),
    );
    this.#heart = new Heart({
      intervalMs: () => configuration.healthInterval * MS_PER_SECOND,
      sendHeartbeat: () => this.#beat(),
    });
    this.#sender = new Sender({
      server: new ReportCalls({
        server: this.#server,
        tally,
        steadyMs: () => this.#clock.steadyMs(),
        single,
      }),
      tasks: () => this.files,
      log: () => undefined,
      serverMs: () => this.#clock.serverMs(),
      notice: () => undefined,
      receipts: { take: () => Promise.resolve() },
      isScanning: () => false,
      onConfigurationDoubt: () => this.#heart.soon(),
    });
  }

  start(): void {
    this.#sender.start();
    this.#heart.start();
  }

  get device(): string {
    return this.#options.configuration.devId;
  }

  /** Whether the server has sent the version of the current configuration. */
  get isReady(): boolean {
    return this.#configVersion !== undefined;
  }

  /** Makes the sender send new reports. */
  wake(): void {
    this.#sender.wake();
  }

  async stop(): Promise<void> {
    this.#server.close();
    await Promise.all([this.#heart.stop(), this.#sender.stop()]);
  }

  async #beat(): Promise<Answer<HeartbeatAnswer>> {
    const { tally } = this.#options;
    for (const file of this.files.values()) if (file.repeat()) this.wake();
    tally.heartbeats.sent += 1;
    const answer = await this.#server.heartbeat(this.#heartbeat());
    if (answer.kind !== 'ok') {
      tally.failed(answer);
      return answer;
    }
    tally.heartbeats.answered += 1;
    this.#clock.recordServerTime(Date.parse(answer.value.serverTime));
    for (const file of answer.value.files) this.files.get(file.id)?.applyServerRecord(file);
    if (answer.value.configVersion !== this.#configVersion) await this.#askVersion();
    return answer;
  }

  /** Fetches the version of the current configuration, for reports; the files remain those of the start. */
  async #askVersion(): Promise<void> {
    const answer = await this.#server.configuration();
    if (answer.kind === 'ok') this.#configVersion = answer.value.version;
    else this.#options.tally.failed(answer);
  }

  #heartbeat(): Heartbeat {
    const timestamp = new Date(this.#clock.wallMs()).toISOString();
    const files = [...this.files.values()];
    const unsent = files.flatMap(({ oldestUnsent }) => oldestUnsent ?? []);
    return {
      timestamp,
      instanceId: this.#instanceId,
      agentVersion: this.#options.agentVersion,
      queue: files.reduce((sum, { waiting }) => sum + waiting, 0),
      oldestUnsent: unsent.length === 0 ? null : unsent.reduce((a, b) => (a < b ? a : b)),
      files: files.map(({ id }) => ({ id, checkedAt: timestamp })),
      setAside: this.#sender.setAside,
    };
  }
}
