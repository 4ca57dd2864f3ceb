/** An organisation of its own with people and one device, made by the calls that browsers make. */
import { Agent, Person } from '../seed/client.mjs';
import { confirm, makeOrganization } from '../seed/organization.mjs';
import { pace } from './pace.mjs';

const DEVICE = { name: 'Probe', description: '', path: '/srv', healthInterval: 60, monitoring: true };
/** A file of this kind may change in any way; each fall of its length makes one event, and no alert. */
const FILE = {
  ...{ description: '', type: 'TEXT', monitoringFrequency: 'PROBE', interval: 3_600 },
  ...{ rolled: false, modifiable: true, enabled: true },
};
/** Lengths start here and fall by one with each report, so that a length names its report. */
const LONGEST = 1_000_000_000;
const MICROSECONDS_PER_MS = 1_000;

/** @returns {Promise<{orgId: string, tokens: string[], deviceId: string, files: FallingFile[], agent: Agent}>} `tokens`: one a person */
export async function makeScene(url, { people, files: count }) {
  const { orgId, admin } = await makeOrganization(url, 'Probe');
  const tokens = [(await admin.signIn()).token];
  for (let n = 1; n < people; n += 1) {
    const who = { email: `person-${n}@big-corp.example`, name: `Person ${n}` };
    await admin.call('POST', `/users/${orgId}`, { ...who, type: 'REGULAR', orgId });
    await confirm(url, who.email);
    tokens.push((await new Person(url, who).signIn()).token);
  }
  return { orgId, tokens, ...(await addDevice(url, admin, orgId, count)) };
}

/** Adds a device to an organisation. @param {Person} person who is signed in @returns {Promise<{deviceId: string, files: FallingFile[], agent: Agent}>} */
export async function addDevice(url, person, orgId, count) {
  const { id: deviceId } = await person.call('POST', `/devices/${orgId}`, {
    ...DEVICE,
    category: 'STANDARD',
  });
  const wanted = Array.from({ length: count }, (_, n) => ({ ...FILE, name: `${n}.txt`, path: `${n}.txt` }));
  const device = await person.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: wanted });
  // A refused report fails, so that it is seen.
  const agent = new Agent(url, { orgId, id: deviceId, apiKey: device.apiKey }, { retries: 0 });
  const files = device.files.map(({ id }) => new FallingFile(id));
  await agent.report(files.map((file) => file.next()));
  return { deviceId, files, agent };
}

/** Causes an event every 1/rate seconds, whether earlier reports are answered or not. @param onAccepted called with the length */
export async function causeEvents({ agent, files }, { seconds, rate, onAccepted = () => {} }) {
  const sent = [];
  for await (const n of pace(rate)) {
    if (n >= seconds * rate) break;
    const file = files[n % files.length];
    const report = file.next();
    const { length } = file;
    sent.push(agent.report([report]).then(() => onAccepted(length)));
  }
  await Promise.all(sent);
}

let shortest = LONGEST;

/** Returns the length of the report before the next one. */
export const lastLength = () => shortest;

class FallingFile {
  id;
  #sequence = Date.now() * MICROSECONDS_PER_MS;
  #last;

  constructor(id) {
    this.id = id;
  }

  /** Returns the next report: the file is shorter than before, and than every other file. */
  next() {
    shortest -= 1;
    this.#sequence += 1;
    const now = { length: shortest, hash: shortest.toString(16).padStart(64, '0') };
    const versions = this.#last === undefined ? [now] : [this.#last, now];
    const change = this.#last === undefined ? 'FIRST' : 'TRUNCATED';
    this.#last = now;
    const timestamp = new Date().toISOString();
    return { fileId: this.id, sequence: this.#sequence, timestamp, change, versions, reread: true };
  }

  /** The length of the newest report. */
  get length() {
    return this.#last.length;
  }
}
