/** Ends services under load: kill -9 at any moment, and SIGTERM. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { addFiles, deviceOf, version, type Reporter } from './reporter.ts';
import { openStream } from './sse.ts';
import type { AnyServers, Counts } from './cluster.ts';
import type { Faulty } from './faults.ts';
import { SERVICES } from './service-process.ts';

/** Services of each round: the first process of every one, then the second of those that have two. */
const ROUNDS = [SERVICES, ['ingestion', 'chain-verifier']] as const;
/** Most reports answered between two ends. */
const REPORTS = 25;

export const ENDS_COUNTS: Counts = { ingestion: 2, 'chain-verifier': 2 };

/** Ends every service in every way, one after the other. */
export async function endServices<S extends AnyServers>({
  cluster,
  admin,
  load,
  random,
  fault,
}: Faulty<S>): Promise<void> {
  for (const [round, names] of ROUNDS.entries()) {
    await fault(`kill -9 of each service, time ${round + 1}`, async (t) => {
      const starts: Promise<number>[] = [];
      for (const name of names) {
        await load.flows(random(REPORTS));
        const victim = cluster.of(name, round);
        t.match(await victim.kill(), { signal: 'SIGKILL' }, name);
        starts.push(victim.start());
      }
      const took = await Promise.all(starts);
      t.comment(`ready again after ${took.map(Math.round).join(', ')} ms`);
      t.comment(`all is read after ${Math.round(await load.isRead())} ms more`);
    });
  }
  await fault('kill -9 of all at once', async (t) => {
    await load.flows(random(REPORTS));
    await cluster.kill();
    t.comment(`ready again after ${Math.round(await cluster.start())} ms`);
    t.comment(`all is read after ${Math.round(await load.isRead())} ms more`);
  });
  const agent = await deviceOf(admin, { name: 'Begun' });
  const { begun: fileId = '' } = await addFiles(agent, { begun: {} });
  for (const name of SERVICES) {
    await fault(`SIGTERM of ${name}: it finishes what it has begun`, async (t) => {
      const stream = await openStream(t, admin);
      await load.flows(random(REPORTS));
      const service = cluster.of(name);
      const metrics = await fetch(`${service.url}/metrics`);
      t.match(await metrics.text(), new RegExp(`service="${name}"`), 'it has metrics of its own');
      const { repeated } = load;
      // Of the load, some calls may be on their way to ingestion, unread by it: agents repeat these. It answers a call that it has begun.
      const isIngestion = name === 'ingestion';
      const begun = isIngestion ? await beginReport(service.url!, agent, fileId) : undefined;
      const stopped = service.stop();
      if (begun !== undefined) t.equal(await begun(), 202, 'the answer to a call that it had begun');
      const { code, signal, ms } = await stopped;
      // A service that needs longer than its deadline ends with 1.
      t.equal(code, 0, `exit code, not ${signal}, after ${Math.round(ms)} ms`);
      if (name === 'query') await stream.ended;
      else t.notOk(stream.isEnded, 'the stream goes on');
      await load.flows(1);
      if (name !== 'query' && !isIngestion) t.equal(load.repeated, repeated, 'no report was refused');
      await service.start();
    });
  }
}

/**
 * Begins a report on a connection of its own, and waits until the service has read the head of the call.
 * @returns sends the body, resolves with the status of the answer
 */
async function beginReport(url: string, agent: Reporter, fileId: string): Promise<() => Promise<number>> {
  const body = JSON.stringify(agent.reportOf({ change: 'FIRST', versions: [version('begun')] }));
  const call = request(`${url}/api/v1/files/${agent.path}/${fileId}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-api-key': agent.apiKey,
      expect: '100-continue',
    },
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  call.flushHeaders();
  await Promise.race([once(call, 'continue'), answered]);
  return async () => {
    call.end(body);
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode ?? 0;
  };
}
