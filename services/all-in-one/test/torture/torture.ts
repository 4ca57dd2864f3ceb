/**
 * Lets processes change files at random while agent and server are killed, and checks what the server shows.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Alert, Event, Link } from '@sentinel-node/contracts';
import { until } from '../support/until.ts';
import { Disturber, type Able } from './disturb.ts';
import { expectationOf, isGreenWhileBlind, isLostBecauseShut, type ShownContact } from './expectation.ts';
import { Hands } from './hands.ts';
import { overlaps, statesOf, type Span } from './history.ts';
import { kindFaults } from './kinds.ts';
import { eventFaults } from './notices.ts';
import { faketimeLibrary, mountSmall, NOBODY, otherUser } from './parts.ts';
import { disturbancesOf, operationsOf, type Wish } from './plan.ts';
import { contactSeconds } from './policies.ts';
import { alertsOf, chainsOf, contactsOf, eventsOf, occurrencesOf } from './shown.ts';
import { HEALTH_SECONDS, setStage, type Stage, type Watched } from './stage.ts';
import { storyOf } from './story.ts';
import { TestedAgent } from './tested-agent.ts';
import { faultsOf } from './verdict.ts';

/** Longest wait for an expected result, in ms; only ends a wait for a result that never comes. */
const PATIENCE_MS = 600_000;
const CLAIMS_EVERY_MS = 2_500;
const CONTACTS_EVERY_MS = 2_000;
/** Running time after which an agent has noticed a jump of its clock and saved the notice, in ms. */
const JUMP_SEEN_MS = 5_000;
/** Size of the state folder in MiB: room for the agent's state of the files, and no more. */
const STATE_MIB = { least: 48, perFile: 1 / 20 };
const MS_PER_SECOND = 1_000;
/** Time that a look at archives takes after the last operation, in ms. */
const SETTLED_MS = 8_000;
const STORIES = 5;
/** Why a machine does not allow a disturbance. */
const WHY_NOT: Readonly<Record<keyof Able, string>> = {
  'disk-full': 'nothing can be mounted here',
  clock: 'libfaketime is not installed',
  'folder-shut': 'this is root without setpriv',
};

interface Shown {
  readonly chains: ReadonlyMap<string, readonly Link[]>;
  readonly alerts: readonly Alert[];
  readonly events: readonly Event[];
  readonly contacts: ReadonlyMap<string, ShownContact>;
}

export async function torture(t: Test, wish: Wish): Promise<void> {
  const as = otherUser();
  const faketime = faketimeLibrary();
  const stage = await setStage(t, wish.files, as === undefined || as.length === 0 ? undefined : NOBODY);
  const able: Able = {
    'disk-full': mountSmall(t, stage.state, Math.ceil(STATE_MIB.least + wish.files * STATE_MIB.perFile)),
    clock: faketime !== undefined,
    'folder-shut': as !== undefined,
  };
  for (const kind of ['disk-full', 'clock', 'folder-shut'] as const)
    if (!able[kind]) t.pass(`torture with ${kind}`, { skip: WHY_NOT[kind] });
  const agent = new TestedAgent(t, {
    config: stage.config,
    state: stage.state,
    as: as ?? [],
    faketime,
    devices: stage.devices.length,
    clock: stage.scratch('clock'),
  });
  const run = new Run(t, stage, agent);
  agent.start();
  await run.settled('the first looks', 0);
  const from = await run.attributesTold();
  run.watch();
  const began = Date.now();
  await Promise.all([
    run.operate(operationsOf(wish), began),
    run.disturber.run(disturbancesOf(wish), began, able),
  ]);
  await until('the hands', () => (run.hands.isIdle ? true : undefined), PATIENCE_MS);
  const last = run.hands.done.reduce((latest, { end }) => Math.max(latest, end), began);
  t.comment(
    `${run.hands.done.length} operations, ${run.disturber.happened.length} disturbances; quiet from now on`,
  );
  await run.settled('the last looks', Math.max(last, Date.now()) + SETTLED_MS);
  await run.judge(from);
}

class Run {
  readonly hands: Hands;
  readonly disturber: Disturber;
  readonly #t: Test;
  readonly #stage: Stage;
  readonly #agent: TestedAgent;
  readonly #green: string[] = [];
  #polls = 0;
  #watching: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(t: Test, stage: Stage, agent: TestedAgent) {
    this.#t = t;
    this.#stage = stage;
    this.#agent = agent;
    this.hands = new Hands(t, (file) => stage.files[file]!.path);
    this.disturber = new Disturber(stage, agent, async () => {
      const contacts = await this.#contacts();
      return stage.files.every(({ id, isShutAway }) => !isShutAway || isLostBecauseShut(contacts.get(id)));
    });
  }

  /** Polls the agent and the server until the test is over. */
  watch(): void {
    this.#watching = Promise.all([
      this.#repeat(CLAIMS_EVERY_MS, () => this.#agent.status()),
      this.#repeat(CONTACTS_EVERY_MS, () => this.#contacts()),
    ]);
  }

  async operate(operations: ReturnType<typeof operationsOf>, began: number): Promise<void> {
    for (const operation of operations) {
      const waitMs = began + operation.atMs - Date.now();
      if (waitMs > 0) await pause(waitMs);
      this.hands.order(operation);
    }
  }

  /**
   * Waits until the agent looked at all files after `after` and the server has all reports. @returns time of
   * the end
   */
  settled(what: string, after: number): Promise<number> {
    const { files } = this.#stage;
    return until(
      what,
      async () => {
        const why = this.#agent.unexpectedEnd ?? serverEnd(this.#stage);
        if (why !== undefined) throw new Error(why);
        const statuses = await this.#agent.status();
        const isSent = statuses.every(
          (one) => one.waiting === 0 && one.eventsWaiting === 0 && one.problem === null,
        );
        const claims = files.map(({ id }) => this.#agent.claims.get(id)?.at(-1));
        const areLooked = claims.every((claim) => claim !== undefined && claim.checkedAt > after);
        const contacts = await this.#contacts();
        const areShown = files.every(({ id }) => contacts.get(id)?.contact === 'OK');
        return isSent && areLooked && areShown ? Date.now() : undefined;
      },
      PATIENCE_MS,
    ).catch((error: unknown) => {
      throw new Error(this.#said(String(error)));
    });
  }

  /** Waits until the server knows the watched attributes. @returns time of the end */
  attributesTold(): Promise<number> {
    const watched = this.#stage.files.filter((file) => file.watchesAttributes && !file.isMissingAtFirst);
    return until(
      'attributes',
      async () => {
        const contacts = await this.#contacts();
        return watched.every(({ id }) => contacts.get(id)?.attributesTold) ? Date.now() : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Compares everything with the truth. @param from end of the first looks */
  async judge(from: number): Promise<void> {
    this.#isOver = true;
    await this.#watching;
    const run = { from, to: Date.now() };
    const { files } = this.#stage;
    // Views follow the log, so read missing documents again.
    let bad: string[];
    let shown = await this.#shown();
    for (const began = Date.now(); ; shown = await this.#shown()) {
      bad = files.flatMap((file) => this.#badStory(file, shown, run));
      if (bad.length === 0 || Date.now() > began + SETTLED_MS) break;
    }
    for (const story of bad.slice(0, STORIES)) this.#t.comment(story);
    for (const story of bad.slice(STORIES)) this.#t.comment(faultsIn(story));
    const { happened, faults } = this.disturber;
    for (const { at, what } of happened) this.#t.comment(`${new Date(at).toISOString()} ${what}`);
    this.#t.comment(
      `${shown.alerts.length} alerts, ${shown.events.length} events, ${this.#polls} looks at contacts`,
    );
    this.#t.comment(this.#certainty(run));
    this.#t.equal(bad.length, 0, 'every file is shown as the truth has it');
    this.#t.strictSame(this.#green.slice(0, STORIES), [], 'no contact is OK while nobody could look');
    this.#t.strictSame(faults, [], 'twins and shut folders');
    const jumps = this.#agent.jumps.length > 0;
    const { full, shut } = this.disturber;
    const mustTellShut = shut.some((one) => !full.some((other) => overlaps(one, other)));
    const untold = [...full, ...this.#agent.awayUntil(Date.now())];
    const mustTellJump = this.#agent.jumps.some(
      ({ from }) => !untold.some((one) => overlaps({ from, to: from + JUMP_SEEN_MS }, one)),
    );
    const what = { jumps, mustTellJump, isFull: full.length > 0, isShut: shut.length > 0, mustTellShut };
    this.#t.strictSame(eventFaults(shown.events, what), [], 'events');
    this.#t.equal(this.#agent.unexpectedEnd, undefined, 'the agent ends only when it is killed');
  }

  #badStory(file: Watched, shown: Shown, run: Span): string[] {
    const done = this.hands.done.filter(({ operation }) => operation.file === file.number);
    const states = statesOf(file, done, run, file.firstInode);
    const claims = this.#agent.claims.get(file.id) ?? [];
    const blind = this.#blind(file, run.to);
    const { said, starts } = this.#agent;
    const expectation = expectationOf({ file, states, claims, blind, starts });
    const links = shown.chains.get(file.id) ?? [];
    const of = {
      contact: shown.contacts.get(file.id)?.contact ?? 'UNKNOWN',
      hashes: links.map(({ hash }) => hash),
      occurrences: occurrencesOf(shown.alerts, file.id),
    };
    const { happened } = this.disturber;
    const events = shown.events.filter(({ fileId }) => fileId === file.id);
    const faults = [
      ...faultsOf(of, expectation, states.at(-1)!.disk.content),
      ...kindFaults(events, { states, claims }),
    ];
    if (faults.length === 0) return [];
    const alerts = shown.alerts.filter(({ fileId }) => fileId === file.id);
    const plain = states.map(({ from, disk }) => ({ from, ...disk }));
    return [
      storyOf({
        file,
        faults,
        expectation,
        done,
        states: plain,
        claims,
        said,
        happened,
        links,
        alerts,
        events,
      }),
    ];
  }

  /** Returns a sentence with the number of files whose alerts are certain. */
  #certainty(run: Span): string {
    let sure = 0;
    let raised = 0;
    for (const file of this.#stage.files) {
      const done = this.hands.done.filter(({ operation }) => operation.file === file.number);
      const states = statesOf(file, done, run, file.firstInode);
      const claims = this.#agent.claims.get(file.id) ?? [];
      const blind = this.#blind(file, run.to);
      const { alerts } = expectationOf({ file, states, claims, blind, starts: this.#agent.starts });
      const all = Object.values(alerts);
      if (all.every(([least, most]) => least > 0 || most === 0)) sure += 1;
      if (all.some(([least]) => least > 0)) raised += 1;
    }
    return `of ${this.#stage.files.length} files it is certain for ${sure} which alerts they raise; ${raised} must raise one`;
  }

  #blind(file: Watched, now: number): readonly Span[] {
    const away = this.#agent.awayUntil(now);
    return file.isShutAway ? [...away, ...this.disturber.shutUntil(now)] : away;
  }

  async #contacts(): Promise<ReadonlyMap<string, ShownContact>> {
    const all = new Map<string, ShownContact>();
    for (const device of this.#stage.devices) {
      const contacts = await contactsOf(device);
      for (const [id, shown] of contacts ?? []) {
        all.set(id, shown);
        const file = this.#byId.get(id)!;
        const contactMs = contactSeconds(file, HEALTH_SECONDS) * MS_PER_SECOND;
        if (isGreenWhileBlind(shown, contactMs, this.#blind(file, shown.asked.to)))
          this.#green.push(`${file.path} is OK at ${new Date(shown.asked.from).toISOString()}`);
      }
    }
    this.#polls += 1;
    return all;
  }

  get #byId(): ReadonlyMap<string, Watched> {
    return (this.#files ??= new Map(this.#stage.files.map((file) => [file.id, file])));
  }
  #files: ReadonlyMap<string, Watched> | undefined;

  async #shown(): Promise<Shown> {
    const { admin, files } = this.#stage;
    const [chains, alerts, events, contacts] = await Promise.all([
      chainsOf(files),
      alertsOf(admin),
      eventsOf(admin),
      this.#contacts(),
    ]);
    return { chains, alerts, events, contacts };
  }

  async #repeat(everyMs: number, what: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      await what();
      await pause(everyMs);
    }
  }

  #said(why: string): string {
    const lines = this.#agent.said.slice(-50).map(({ line }) => line);
    return [why, ...lines, this.#stage.node.said()].join('\n');
  }
}

/** Returns how the server ended unexpectedly; undefined while it runs. */
function serverEnd({ node }: Stage): string | undefined {
  const end = node.child.end();
  return end === undefined ? undefined : `the server ended with ${end.code ?? end.signal}`;
}

/** Returns only the lines of the file's name and faults. */
const faultsIn = (story: string): string =>
  story
    .split('\n')
    .filter((line, at) => at === 0 || line.includes(' FAULT '))
    .join('\n');
