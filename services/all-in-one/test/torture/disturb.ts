/** Carries out the planned disturbances while files change; those of a track run one after the other. */
import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Span } from './history.ts';
import type { Disturbance, Track } from './plan.ts';
import type { Stage } from './stage.ts';
import type { TestedAgent } from './tested-agent.ts';

export interface Happening {
  readonly at: number;
  readonly what: string;
}

/** Disturbances that the machine allows; others are skipped. */
export interface Able {
  readonly 'disk-full': boolean;
  readonly clock: boolean;
  readonly 'folder-shut': boolean;
}

/** Longest wait for a file to be shown as lost, in ms, because the agent may be away meanwhile. */
const LOST_MS = 600_000;
/** Longest wait for the server to be ready, in ms. */
const READY_MS = 600_000;
const FILL_BYTES = 65_536;
const FILL_LAST_BYTES = 512;

export class Disturber {
  readonly happened: Happening[] = [];
  /** Times at which the agent could not enter the folder. */
  readonly shut: Span[] = [];
  /** Times at which the state folder had no room. */
  readonly full: Span[] = [];
  readonly faults: string[] = [];
  #shutSince: number | undefined;
  readonly #stage: Stage;
  readonly #agent: TestedAgent;
  readonly #areShownLost: () => Promise<boolean>;

  /**
   * Makes a disturber. @param areShownLost returns whether all files in the shut folder are shown as lost
   * because of that
   */
  constructor(stage: Stage, agent: TestedAgent, areShownLost: () => Promise<boolean>) {
    this.#stage = stage;
    this.#agent = agent;
    this.#areShownLost = areShownLost;
  }

  shutUntil(now: number): readonly Span[] {
    return this.#shutSince === undefined ? this.shut : [...this.shut, { from: this.#shutSince, to: now }];
  }

  async run(
    tracks: Readonly<Record<Track, readonly Disturbance[]>>,
    began: number,
    able: Able,
  ): Promise<void> {
    await Promise.all(
      Object.values(tracks).map(async (track) => {
        for (const one of track) {
          if (one.kind in able && !able[one.kind as keyof Able]) continue;
          await pause(Math.max(0, began + one.atMs - Date.now()));
          await this.#do(one);
        }
      }),
    );
  }

  #say(what: string): void {
    this.happened.push({ at: Date.now(), what });
  }

  async #do(one: Disturbance): Promise<void> {
    switch (one.kind) {
      case 'agent-killed':
        await this.#agent.kill();
        this.#say(`the agent is killed for ${one.forMs} ms`);
        await pause(one.forMs);
        return this.#agent.start();
      case 'agent-hangs':
        this.#agent.hang();
        this.#say(`the agent hangs for ${one.forMs} ms`);
        await pause(one.forMs);
        return this.#agent.wake();
      case 'twin':
        return this.#twin();
      case 'server-killed':
        await this.#stage.node.kill();
        this.#say(`the server is killed for ${one.forMs} ms`);
        await pause(one.forMs);
        await this.#stage.node.start({}, { patienceMs: READY_MS });
        return this.#say('the server is ready');
      case 'disk-full':
        return this.#fill(one.forMs);
      case 'clock':
        this.#say(`the agent's clock is wrong by ${one.bySeconds} s for ${one.forMs} ms`);
        this.#agent.setClock(one.bySeconds);
        await pause(one.forMs);
        this.#agent.setClock(0);
        return this.#say("the agent's clock is right");
      case 'folder-shut':
        return this.#shut();
    }
  }

  async #twin(): Promise<void> {
    const isReady = await until('the state folder', () => this.#agent.hasState || undefined, LOST_MS).catch(
      () => false,
    );
    if (!isReady) return this.#say('no twin: the agent has not begun yet');
    const { code, lines } = await this.#agent.twin();
    this.#say(`a twin ended with ${code}`);
    const isClear = lines.length === 1 && /another agent is using the state folder/.test(lines[0] ?? '');
    if (code !== 3 || !isClear)
      this.faults.push(`the twin ended with ${code}, and said: ${lines.join(' / ')}`);
  }

  async #fill(forMs: number): Promise<void> {
    const filler = join(this.#stage.state, 'filler');
    const file = openSync(filler, 'w');
    for (const bytes of [FILL_BYTES, FILL_LAST_BYTES]) while (wasWritten(file, bytes));
    closeSync(file);
    const from = Date.now();
    this.#say(`the state folder is full for ${forMs} ms`);
    await pause(forMs);
    this.full.push({ from, to: Date.now() });
    rmSync(filler);
    this.#say('the state folder has room');
  }

  async #shut(): Promise<void> {
    const { shutAway } = this.#stage;
    chmodSync(shutAway, 0o700);
    this.#shutSince = Date.now();
    this.#say('the folder is shut');
    const areLost = await until(
      'the files of the shut folder to be shown as lost',
      async () => (await this.#areShownLost()) || undefined,
      LOST_MS,
    ).catch((error: unknown) => {
      this.faults.push(String(error));
      return false;
    });
    this.shut.push({ from: this.#shutSince, to: Date.now() });
    this.#shutSince = undefined;
    chmodSync(shutAway, 0o755);
    this.#say(`the folder is open, all its files were ${areLost ? '' : 'not '}shown as lost`);
  }
}

function wasWritten(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) > 0;
  } catch {
    return false;
  }
}
