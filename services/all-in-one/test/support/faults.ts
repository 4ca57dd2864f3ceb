/** Common begin and end of the fault tests. */
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { AuditResult } from '../../src/audit/audit.ts';
import { founder, type Member } from './client.ts';
import { Cluster, startServers, type AnyServers, type ClusterOptions, type Servers } from './cluster.ts';
import { Load, type LoadOptions } from './load.ts';
import { seeded } from './random.ts';
import { FAULTS_MS } from './until.ts';

const preload = (name: string): string => fileURLToPath(new URL(`./preload-${name}.js`, import.meta.url));
export const QUICK = preload('quick');
export const CLOCK = preload('clock');
export const SESSIONS = preload('sessions');

export interface Faulty<S extends AnyServers = Servers> {
  readonly t: Test;
  readonly cluster: Cluster<S>;
  readonly admin: Member;
  readonly load: Load;
  readonly random: (below: number) => number;
  /** Runs one fault after the other; none after a failed one, because they would only fail too. */
  readonly fault: (title: string, run: (t: Test) => Promise<void>) => Promise<void>;
}

/**
 * Defines a test with a cluster under load, disturbed by `run`. At the end, every report answered 202 must be
 * in its chain exactly once, every view must equal a rebuild from the log, and every verdict must follow from
 * the log.
 */
export function faults(title: string, options: Options<Servers>, run: Run<Servers>): void {
  faultsOn(startServers, title, options, run);
}

type Options<S extends AnyServers> = (servers: S) => ClusterOptions & { readonly load?: LoadOptions };
type Run<S extends AnyServers> = (given: Faulty<S>) => Promise<void>;

/** Defines such a test on another kind of servers. */
export function faultsOn<S extends AnyServers>(
  startServers: (t: Test) => Promise<S | undefined>,
  title: string,
  options: Options<S>,
  run: Run<S>,
): void {
  t.setTimeout(FAULTS_MS);
  void t.test(title, { timeout: FAULTS_MS }, async (t) => {
    const random = seeded(t);
    const servers = await startServers(t);
    if (servers === undefined) return;
    const { load: wish = {}, ...rest } = options(servers);
    const env = { SENTINEL_INTERVAL_MISSION_CRITICAL: '2', ...rest.env };
    const cluster = await Cluster.start(t, servers, { preloads: [QUICK], ...rest, env });
    const admin = await founder(cluster);
    const load = await Load.of(admin, random, wish);
    load.begin();
    const fault: Faulty<S>['fault'] = async (title, run) => {
      if (t.passing()) await t.test(title, { timeout: FAULTS_MS }, run);
      else t.comment(`not tried: ${title}`);
    };
    await run({ t, cluster, admin, load, random, fault });
    await load.end();
    await t.test('nothing is lost, doubled or judged otherwise', { timeout: FAULTS_MS }, (t) =>
      holds(t, cluster, load),
    );
  });
}

async function holds(t: Test, cluster: Cluster<AnyServers>, load: Load): Promise<void> {
  t.comment(`${load.answered} reports, ${load.repeated} bodies were sent again`);
  const began = performance.now();
  t.same(await load.wrongs(), [], 'every report is in its chain once, and nothing else');
  const isRead = performance.now();
  const { code, stdout, stderr } = await cluster.command('audit', '--json');
  const times = [isRead - began, performance.now() - isRead].map(Math.round);
  t.comment(`read in ${times[0]} ms, audited in ${times[1]} ms`);
  if (!stdout.startsWith('{')) throw new Error(`the audit did not work: ${code} ${stdout}${stderr}`);
  const { judged, documents, findings } = JSON.parse(stdout) as AuditResult;
  t.same(findings, [], 'every view and verdict is what the log gives');
  t.equal(code, 0);
  t.ok(judged >= load.answered && documents > 0, `${judged} records judged, ${documents} documents compared`);
}
