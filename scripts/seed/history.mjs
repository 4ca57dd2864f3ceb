/** The history of the files in steps: reports that raise alerts, ordinary reports, and people who handle alerts. */
import { URLSearchParams } from 'node:url';
import { inTurns } from './in-turns.mjs';

/** Agents that report at the same time, and calls of people at the same time. */
const AT_ONCE = 8;
const IDS_A_CALL = 25;
const PAGE = 500;
/** Approximate number of alerts of one device in a step. */
const ALERTS_A_DEVICE = 15;
/** Share of all alerts that nobody has handled at the end. */
const SHARE_LEFT = 0.05;
/** Share of the steps in which many devices have the same change, and the highest number of files that have it. */
const SHARE_ALIKE = 0.02;
const FILES_ALIKE = 40;
const SHARE_RESET = 0.3;
const SHARE_FAILED = 0.02;
/** Highest number of steps that an alert waits for a person. */
const WAITS_STEPS = 12;
/** Share of the history after which silent devices stop reporting, and devices and files are switched off. */
const LATE = 0.9;

/** Returns the index of the step before which they are switched off. */
export const lateFrom = (steps) => Math.floor(LATE * steps.length);

const NOTES = {
  RESOLVED: [
    'Planned change, ticket CH-4711',
    'Known: rotated by hand',
    'False alarm after the restore',
    'Update of the package',
  ],
  DEACTIVATED: [
    'Restored from backup, new baseline',
    'New release rolled out',
    'The administrator confirmed the change',
  ],
};

export class History {
  #at;
  #random;
  #devices;
  /** Files, by id. */
  #files;
  #steps;
  /** Alerts to handle, by step. */
  #due = new Map();
  #left;

  /** @param at `{orgId, admin, people, clock, caughtUp}` */
  constructor(at, { devices, steps, alerts, files, random }) {
    this.#at = at;
    this.#random = random;
    this.#devices = devices.filter(({ fate }) => fate !== 'UNHEARD');
    this.#files = new Map(this.#devices.flatMap((device) => device.files.map((file) => [file.id, file])));
    this.#steps = steps;
    // A file has at most one open alert of a type, so few files can keep few alerts open.
    this.#left = Math.min(Math.floor(alerts * SHARE_LEFT), Math.floor(files / 2));
  }

  /** Sends the first report of each file. */
  async begin(onDone) {
    const { clock, caughtUp } = this.#at;
    let done = 0;
    await inTurns(this.#devices, AT_ONCE, async (device) => {
      const now = clock.now();
      await device.agent.report(device.files.flatMap((file) => file.first(now)));
      onDone((done += device.files.length));
    });
    await caughtUp();
  }

  /** Runs one step. @param {number} n index of the step @returns the number of raised alerts */
  async step(n) {
    const { clock, caughtUp } = this.#at;
    const { from, to, alerts } = this.#steps[n];
    clock.moveTo(from);
    await this.#handle(this.#due.get(n) ?? []);
    this.#due.delete(n);
    if (alerts === 0) return 0;
    const before = this.#countOpen();
    await this.#report(n, { from, to, alerts });
    await caughtUp();
    const raised = this.#countOpen() - before;
    this.#plan(n, await this.#raisedSince(from, raised));
    return raised;
  }

  #countOpen() {
    let open = 0;
    for (const { files } of this.#devices) for (const file of files) open += file.open.size;
    return open;
  }

  async #report(n, { from, to, alerts }) {
    const isLate = n >= lateFrom(this.#steps);
    const able = this.#devices.filter(({ fate }) => !isLate || fate === 'NORMAL');
    const planned = this.#deviations(able.length === 0 ? this.#devices : able, alerts, isLate);
    const each = (to - from) / (planned.size + 1);
    let at = from;
    const { clock } = this.#at;
    await inTurns(planned, AT_ONCE, async ([device, changes]) => {
      clock.moveTo((at += each));
      const now = clock.now();
      const reports = [];
      for (const { file, kind, content } of changes) reports.push(...file.deviating(kind, now, content));
      const usual = this.#random.pick(device.files);
      const isOff = isLate && device.filesOff.includes(usual.id);
      if (!isOff && !changes.some(({ file }) => file === usual))
        reports.push(
          ...(this.#random.chance(SHARE_FAILED) ? usual.failed(now) : usual.usual(now, this.#random)),
        );
      await device.agent.report(reports);
    });
  }

  /** Chooses the changes that raise alerts, by device. */
  #deviations(devices, count, isLate) {
    const random = this.#random;
    const planned = new Map();
    const taken = new Set();
    const add = (device, file, kind, content) => {
      taken.add(file);
      planned.set(device, [...(planned.get(device) ?? []), { file, kind, content }]);
    };
    const isFree = (device, file) => !taken.has(file) && !(isLate && device.filesOff.includes(file.id));
    let left = count;
    if (random.chance(SHARE_ALIKE)) left -= this.#alike(devices, left, isFree, add);
    const wanted = Math.max(2, Math.ceil(left / ALERTS_A_DEVICE));
    const addSome = (device, most) => {
      for (const file of random.some(device.files, most)) {
        const { possible } = file;
        if (left === 0) return;
        if (possible.length === 0 || !isFree(device, file)) continue;
        add(device, file, random.pick(possible));
        left -= 1;
      }
    };
    for (const device of [...random.some(devices, wanted), ...devices])
      addSome(device, Math.min(left, 2 * ALERTS_A_DEVICE));
    // Few devices have more alerts each.
    for (const device of devices) if (left > 0) addSome(device, device.files.length);
    return planned;
  }

  /** Changes the same file to the same content on many devices. */
  #alike(devices, most, isFree, add) {
    const random = this.#random;
    const { template } = random.pick(random.pick(devices).files);
    const content = `${template} ${random.below(2 ** 31)}`;
    let count = 0;
    for (const device of random.some(devices, FILES_ALIKE)) {
      const file = device.files.find((one) => one.template === template);
      const kind = file?.possible.find((one) => one === 'UNEXPECTED_CHANGE' || one === 'HASH_BREACH');
      if (kind === undefined || count >= most || !isFree(device, file)) continue;
      add(device, file, kind, content);
      count += 1;
    }
    return count;
  }

  /** Returns the alerts of a step, newest first. @throws Error when their number is not `count` */
  async #raisedSince(from, count) {
    const { admin, orgId } = this.#at;
    const found = [];
    const since = new Date(from).toISOString();
    for (let lastId; found.length < count;) {
      const query = new URLSearchParams({ timestampFrom: since, limit: PAGE, ...(lastId && { lastId }) });
      const page = await admin.call('GET', `/alerts/${orgId}?${query}`);
      found.push(...page.alerts.map(({ id, fileId, type }) => ({ id, fileId, type })));
      if (page.lastId === null) break;
      ({ lastId } = page);
    }
    if (found.length !== count)
      throw new Error(`${count} alerts were to be raised, and ${found.length} were`);
    return found;
  }

  /** Plans when each alert is handled and how; some alerts stay open. */
  #plan(n, raised) {
    const random = this.#random;
    const rest = this.#steps.slice(n).reduce((sum, { alerts }) => sum + alerts, 0);
    for (const alert of raised) {
      const wait = 1 + Math.floor(WAITS_STEPS * random.share() ** 3);
      const staysOpen = n + wait >= this.#steps.length || random.chance(this.#left / Math.max(1, rest));
      if (staysOpen) {
        this.#left -= 1;
        continue;
      }
      const status = random.chance(SHARE_RESET) ? 'DEACTIVATED' : 'RESOLVED';
      const due = this.#due.get(n + wait) ?? [];
      due.push({ ...alert, status });
      this.#due.set(n + wait, due);
    }
  }

  async #handle(alerts) {
    if (alerts.length === 0) return;
    const { orgId, people } = this.#at;
    const calls = [];
    for (const status of ['RESOLVED', 'DEACTIVATED']) {
      const those = alerts.filter((alert) => alert.status === status);
      for (let from = 0; from < those.length; from += IDS_A_CALL) {
        const ids = those.slice(from, from + IDS_A_CALL).map(({ id }) => id);
        calls.push({
          person: this.#random.pick(people),
          body: { ids, status, note: this.#random.pick(NOTES[status]) },
        });
      }
    }
    await inTurns(calls, AT_ONCE, async ({ person, body }) => {
      const { answers } = await person.call('PUT', `/alerts/turnoff/${orgId}`, body);
      const failed = answers.find(({ status }) => status !== 200);
      if (failed !== undefined) throw new Error(`alert ${failed.id} was not handled: ${failed.code}`);
    });
    for (const { fileId, type } of alerts) this.#files.get(fileId).open.delete(type);
  }

  /** Sends a last heartbeat of each agent that is not silent. */
  async end() {
    const { clock, caughtUp } = this.#at;
    const present = this.#devices.filter(({ fate }) => fate === 'NORMAL');
    await inTurns(present, AT_ONCE, async ({ agent, files }) => {
      const timestamp = new Date(clock.now()).toISOString();
      await agent.heartbeat({
        ...{ timestamp, instanceId: 'seed', agentVersion: '0.1.0', queue: 0, oldestUnsent: null },
        files: files.map(({ id }) => ({ id, checkedAt: timestamp })),
      });
    });
    await caughtUp();
  }
}
