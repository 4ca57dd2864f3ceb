/** Agents that report continuously, and know what every chain must then contain. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Alert, Event, Link } from '@sentinel-node/contracts';
import { sendAll } from './bulk.ts';
import type { Member } from './client.ts';
import { addFiles, deviceOf, version, type Reporter } from './reporter.ts';
import { alertsOf } from './scene.ts';
import { DEADLINE_MS, FAULTS_MS, nextLook, until } from './until.ts';

export interface LoadOptions {
  readonly devices?: number;
  readonly filesPerDevice?: number;
  /** Most reports of one file in a body. */
  readonly steps?: number;
  /** Longest pause between two bodies of a device. Each report costs all services some 20 ms of processor time, a body 40 ms. */
  readonly paceMs?: number;
}

/** Links per page. */
const PAGE = 500;

/** A file of the load, with the number of versions that were answered 202. */
export interface Loaded {
  readonly agent: Reporter;
  readonly fileId: string;
  /** Whether a change of the file is an alert. */
  readonly isFixed: boolean;
  answered: number;
}

/** Returns the n-th version of a file; all versions differ. */
const nth = (fileId: string, n: number) => version(`${fileId} ${n}`);

export class Load {
  readonly files: readonly Loaded[];
  readonly #devices: readonly (readonly Loaded[])[];
  readonly #random: (below: number) => number;
  readonly #options: Required<LoadOptions>;
  #running: Promise<unknown> | undefined;
  #ended = false;
  /** Number of repeated bodies. */
  repeated = 0;

  private constructor(
    devices: Loaded[][],
    random: (below: number) => number,
    options: Required<LoadOptions>,
  ) {
    this.files = devices.flat();
    this.#devices = devices;
    this.#random = random;
    this.#options = options;
  }

  /** Makes the devices and their files, the first of which may not change; sends nothing yet. */
  static async of(
    member: Member,
    random: (below: number) => number,
    options: LoadOptions = {},
  ): Promise<Load> {
    const { devices = 2, filesPerDevice = 4, steps = 2, paceMs = 1_600 } = options;
    const all: Loaded[][] = [];
    for (let d = 0; d < devices; d += 1) {
      const agent = await deviceOf(member, { name: `Device ${d}` });
      const wishes = Array.from(
        { length: filesPerDevice },
        (_, f) => [`file ${f}`, { modifiable: f > 0 }] as const,
      );
      const made = Object.entries(await addFiles(agent, Object.fromEntries(wishes)));
      all.push(made.map(([name, fileId]) => ({ agent, fileId, isFixed: name === 'file 0', answered: 0 })));
    }
    return new Load(all, random, { devices, filesPerDevice, steps, paceMs });
  }

  /** Number of reports answered with 202. */
  get answered(): number {
    return this.files.reduce((sum, { answered }) => sum + answered, 0);
  }

  /** Makes every device report its files, body by body, until `end`. */
  begin(): this {
    this.#ended = false;
    const running = Promise.all(this.#devices.map((files) => this.#report(files)));
    // `end` reports the error; until then it must not count as unhandled.
    running.catch(() => undefined);
    this.#running = running;
    return this;
  }

  /**
   * Ends the reports. Resolves when all sent reports are answered. @throws Error a report was refused for
   * good
   */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  /** Sends one body per device with `steps` reports per file, until answered. */
  async once(steps = 1): Promise<void> {
    await Promise.all(this.#devices.map((files) => this.#send(files, steps)));
  }

  /** Waits for `more` further answered reports, then a moment in which the next ones are on their way. */
  async flows(more: number): Promise<void> {
    const goal = this.answered + more;
    await until(`${more} more reports`, () => (this.answered >= goal ? true : undefined));
    await pause(this.#random(this.#options.paceMs));
  }

  /** Waits until all reports answered so far can be read. @returns the ms that this took */
  async isRead(): Promise<number> {
    const began = performance.now();
    const goals = this.files.map((file) => [file, file.answered] as const);
    for (const [{ agent, fileId }, goal] of goals) {
      await until(`link ${goal} of ${fileId}`, async () => {
        const newest = await newestOf(agent, fileId).catch(() => undefined);
        return (newest?.number ?? 0) >= goal ? true : undefined;
      });
    }
    return performance.now() - began;
  }

  /**
   * Returns the faults after `end`, in links, alerts and events as a person reads them. A store may show alerts and events later
   * than links, so that faults count when they stay.
   */
  async wrongs(): Promise<string[]> {
    await this.isRead();
    const began = Date.now();
    for (;;) {
      const wrongs = await this.#shownWrongs();
      if (wrongs.length === 0 || Date.now() > began + DEADLINE_MS) return wrongs;
      await pause(nextLook(began));
    }
  }

  async #shownWrongs(): Promise<string[]> {
    const wrongs: string[] = [];
    for (const file of this.files) wrongs.push(...(await wrongsOf(file)));
    const events = (await Promise.all(this.#devices.map(eventsOfDevice))).flat();
    const others = events.filter(({ type }) => !/^(CREATE_(DEVICE|FILE)|ALERT)$/.test(type));
    return [...wrongs, ...others.map(({ type, note }) => `event ${type} ${note}`)];
  }

  async #report(files: readonly Loaded[]): Promise<void> {
    while (!this.#ended) {
      await this.#send(files, 1 + this.#random(this.#options.steps));
      await pause(this.#random(this.#options.paceMs));
    }
  }

  async #send(files: readonly Loaded[], steps: number): Promise<void> {
    const [{ agent }] = files as [Loaded];
    const lines = Array.from({ length: steps }, (_, step) =>
      files.map(({ fileId, answered }) => lineOf(agent, fileId, answered + step)),
    );
    const { attempts } = await sendAll(agent, lines.flat(), FAULTS_MS);
    this.repeated += attempts - 1;
    for (const file of files) file.answered += steps;
  }
}

async function eventsOfDevice([file]: readonly Loaded[]): Promise<Event[]> {
  const { member, path } = file!.agent;
  return (await member.done('GET', `/events/${path}?limit=500`)).events as Event[];
}

function lineOf(agent: Reporter, fileId: string, n: number): string {
  return JSON.stringify({
    fileId,
    sequence: agent.nextSequence(),
    timestamp: new Date().toISOString(),
    change: n === 0 ? 'FIRST' : 'REPLACED',
    versions: n === 0 ? [nth(fileId, 0)] : [nth(fileId, n - 1), nth(fileId, n)],
  });
}

async function wrongsOf({ agent, fileId, isFixed, answered }: Loaded): Promise<string[]> {
  const links = (await wholeChain(agent, fileId)).reverse();
  const wrongs = links.flatMap(({ number, hash, type }, n) => {
    const isBreak = isFixed && n > 0;
    const fits = number === n + 1 && hash === nth(fileId, n).hash && (type === 'BREAK') === isBreak;
    return fits ? [] : [`${fileId}: link ${n} is ${type} ${number}`];
  });
  if (links.length !== answered) wrongs.push(`${fileId}: ${links.length} links of ${answered} reports`);
  const alerts = (await alertsOf(agent, fileId)).map(({ type, occurrences }) => `${type} ${occurrences}`);
  const expected: `${Alert['type']} ${number}`[] =
    isFixed && answered > 1 ? [`UNEXPECTED_CHANGE ${answered - 1}`] : [];
  if (alerts.join() !== expected.join())
    wrongs.push(`${fileId}: alerts ${alerts.join()}, not ${expected.join()}`);
  return wrongs.slice(0, 5);
}

async function newestOf({ member, path }: Reporter, fileId: string): Promise<Link | undefined> {
  const { links } = await member.done('PUT', `/files/chain/${path}/${fileId}`, { before: 1 });
  return (links as Link[])[0];
}

/** Reads all links, newest first, page by page. */
async function wholeChain({ member, path }: Reporter, fileId: string): Promise<Link[]> {
  const all: Link[] = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const wish = { before: PAGE, ...(last === undefined ? {} : { hashId: last }) };
    const page = await member.done('PUT', `/files/chain/${path}/${fileId}`, wish);
    all.push(...(page.links as Link[]).slice(last === undefined ? 0 : 1));
    if (page.older !== true) return all;
  }
}
