/**
 * Tests simulated agents that all return at once after an outage: nothing is lost, and every chain has each
 * version once.
 */
import t from 'tap';
import { Simulation, checkConfiguration, nextVersion } from '@sentinel-node/agent';
import type { Version } from '@sentinel-node/contracts';
import { founder } from './support/client.ts';
import { addFiles, deviceOf, type Reporter } from './support/reporter.ts';
import { linksOnce } from './support/scene.ts';
import { startedSystem } from './support/system.ts';
import { DEADLINE_MS, FILE_MS, until } from './support/until.ts';

const AGENTS = 50;
const KEPT = 20;
const WAYS = [
  { single: false, name: 'in bulk' },
  { single: true, name: 'one by one' },
];

t.setTimeout(2 * FILE_MS);

interface Device {
  readonly agent: Reporter;
  readonly fileId: string;
}

/** Returns the made-up versions of a file, oldest first. */
function versionsOf(fileId: string): Version[] {
  const versions: Version[] = [];
  while (versions.length < KEPT) versions.push(nextVersion(fileId, versions.at(-1) ?? null));
  return versions;
}

for (const { single, name } of WAYS)
  t.test(`agents that come back at once with what they kept, ${name}`, { timeout: FILE_MS }, async (t) => {
    const admin = await founder(await startedSystem(t));
    const devices: Device[] = [];
    const configurations = [];
    for (let n = 0; n < AGENTS; n += 1) {
      const agent = await deviceOf(admin, { name: `Simulated ${n}` });
      const { one = '' } = await addFiles(agent, {
        one: n % 2 === 0 ? {} : { monitoringFrequency: 'FOLLOW' },
      });
      devices.push({ agent, fileId: one });
      const configuration: unknown = await admin.done('GET', `/devices/config/${agent.path}`);
      configurations.push(checkConfiguration(configuration, agent.path));
    }
    const simulation = await Simulation.start(configurations, { single });
    t.teardown(() => simulation.stop());
    t.equal(await simulation.ready(DEADLINE_MS), true);
    simulation.out = true;
    simulation.make(AGENTS * KEPT);
    t.match(simulation.result(), { made: AGENTS * KEPT, accepted: 0, lost: AGENTS * KEPT });
    await until('every agent to meet the outage', () =>
      simulation.result().calls.failed >= AGENTS ? true : undefined,
    );
    simulation.out = false;
    t.equal(await simulation.drained(DEADLINE_MS), true, 'the server took all');
    const { sent, acceptedMs, calls, ...result } = simulation.result();
    t.match(result, { accepted: AGENTS * KEPT, refused: 0, lost: 0, skipped: 0 });
    t.equal(calls.bulk === 0, single);
    t.comment(`sent ${sent} for ${AGENTS * KEPT}, the last after ${Math.round(acceptedMs.max ?? 0)} ms`);
    for (const { agent, fileId } of devices) {
      const links = (await linksOnce(agent, fileId, KEPT)).toReversed();
      const shown = links.map(({ hash, length }) => ({ hash, length }));
      const expected = versionsOf(fileId).map(({ hash, length }) => ({ hash, length }));
      t.strictSame(shown, expected, 'each version, once and in order');
      t.ok(links.every(({ alerts }) => alerts.length === 0));
    }
  });
