/** One running system, with senders that keep its backlog long but bounded. */
import { setTimeout as delay } from 'node:timers/promises';
import { targetsOf } from './fleet.mjs';
import { openLoad, openServer, SECRET } from './open.mjs';
import { BACKLOG, PATIENCE_MS, PIPELINE_CONNECTIONS, PIPELINE_LINES, POLL_MS } from './settings.mjs';
import { stagesOf } from './stages.mjs';
import { used } from './usage.mjs';

const MS_PER_SECOND = 1_000;

export class Flow {
  #url;
  #server;
  #load;

  constructor(url, server, load) {
    this.#url = url;
    this.#server = server;
    this.#load = load;
  }

  /**
   * Opens a system in which every file of the fleet has its baseline and all reports are projected.
   * @param fixed further devices, without reports @param told as for `seedRules`
   */
  static async open(folder, fleet, { fixed = [], told, connections = PIPELINE_CONNECTIONS } = {}) {
    const devices = [...fleet.devices, ...fixed];
    const { server, url } = await openServer('system', folder, { fleet: { ...fleet, devices }, told });
    const load = openLoad();
    const flow = new Flow(url, server, load);
    await flow.#until(({ registered }) => registered > devices.length);
    const shape = { url, targets: targetsOf(fleet, SECRET), lines: PIPELINE_LINES };
    await load.ask('live', { ...shape, connections });
    await flow.#baseline(filesOf(fleet));
    return flow;
  }

  get url() {
    return this.#url;
  }

  /** Sends for some seconds and returns the work done in them. The backlog is drained before and after. */
  async measure(seconds, warmUpSeconds) {
    await this.#load.ask('start');
    await this.#drive(warmUpSeconds);
    const before = await this.#look();
    const longest = await this.#drive(seconds);
    const after = await this.#look();
    const { failed, firstFailure, postponed } = await this.#load.ask('end');
    if (postponed > 0) throw new Error(`${postponed} requests were to come again`);
    if (failed > 0) throw new Error(`${failed} requests failed, the first with ${firstFailure}`);
    await this.#drained();
    return result(before, after, longest);
  }

  /**
   * Sends at a rate, whether the server keeps up or not. @param onLook called every `everyMs`
   * @returns the progress and resources of each look; the first one is of the start
   */
  async hold(seconds, { perSecond, everyMs, onLook }) {
    const looks = [await this.#look()];
    await this.#load.ask('start', { requestsPerSecond: perSecond / PIPELINE_LINES });
    for (const end = performance.now() + seconds * MS_PER_SECOND; performance.now() < end;) {
      await delay(Math.min(everyMs, Math.max(1, end - performance.now())));
      looks.push(await this.#look());
      await onLook(looks.at(-1));
    }
    const endedAt = performance.now();
    const { postponed, failed, firstFailure } = await this.#load.ask('end');
    return { looks, endedAt, postponed, failed, firstFailure };
  }

  /** Waits until everything accepted is projected. @returns the seconds that it took */
  async drain(patienceMs) {
    const began = performance.now();
    await this.#drained(patienceMs);
    return (performance.now() - began) / MS_PER_SECOND;
  }

  /** Sends at a rate for some seconds and then ends the server in the midst of it, as `kill -9` does. */
  async killUnderLoad(seconds, { perSecond }) {
    await this.#load.ask('start', { requestsPerSecond: perSecond / PIPELINE_LINES });
    await delay(seconds * MS_PER_SECOND);
    const last = await this.#look();
    await Promise.all([this.#server.kill(), this.#load.kill()]);
    return last;
  }

  async stop() {
    await this.#load.stop();
    await this.#server.stop();
  }

  async #look() {
    const at = performance.now();
    const stages = await stagesOf(this.#url);
    return { at, stages, server: await this.#server.ask('usage'), load: await this.#load.ask('usage') };
  }

  /** Pauses the senders while the backlog is too long. @returns the longest backlog seen */
  async #drive(seconds, isDone = () => false) {
    let longest = 0;
    let paused = false;
    for (const end = performance.now() + seconds * MS_PER_SECOND; performance.now() < end;) {
      const stages = await stagesOf(this.#url);
      if (isDone(stages)) break;
      const backlog = stages.accepted - stages.projected;
      longest = Math.max(longest, backlog);
      const pause = paused ? backlog > BACKLOG.resume : backlog > BACKLOG.pause;
      if (pause !== paused) await this.#load.ask(pause ? 'pause' : 'resume');
      paused = pause;
      await delay(Math.min(POLL_MS, Math.max(1, end - performance.now())));
    }
    if (paused) await this.#load.ask('resume');
    return longest;
  }

  /** Sends at least the first report of each file. */
  async #baseline(files) {
    await this.#load.ask('start');
    await this.#drive(PATIENCE_MS / MS_PER_SECOND, ({ accepted }) => accepted >= 2 * files);
    await this.#load.ask('end');
    await this.#drained();
  }

  #drained(patienceMs) {
    return this.#until(({ accepted, projected }) => projected >= accepted, patienceMs);
  }

  async #until(isTrue, patienceMs = PATIENCE_MS) {
    const end = performance.now() + patienceMs;
    while (!isTrue(await stagesOf(this.#url))) {
      if (performance.now() > end) throw new Error(`the system did not catch up within ${patienceMs} ms`);
      await delay(POLL_MS);
    }
  }
}

const filesOf = ({ devices }) => devices.reduce((count, { fileIds }) => count + fileIds.length, 0);

function result(before, after, longest) {
  const seconds = (after.at - before.at) / MS_PER_SECOND;
  const done = Object.fromEntries(
    Object.keys(after.stages).map((name) => [name, after.stages[name] - before.stages[name]]),
  );
  const server = used(before.server, after.server);
  const load = used(before.load, after.load);
  const perReport = (micros) => micros / done.projected;
  return {
    accepted: done.accepted / seconds,
    judged: done.judged / seconds,
    projected: done.projected / seconds,
    longest,
    cpu: perReport(server.cpu),
    threads: Object.fromEntries(
      Object.entries(server.threads).map(([name, micros]) => [name, perReport(micros)]),
    ),
    load: perReport(load.cpu),
    rss: server.rss,
    maxRss: server.maxRss,
  };
}
