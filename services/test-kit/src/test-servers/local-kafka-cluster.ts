/** Three brokers in KRaft mode, each also a controller: every record has three replicas, a write needs two. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildServer, nodeControlsOf } from './child-server.ts';
import { javaOptions, READY, TEMPLATE } from './local-kafka.ts';
import { freePorts } from './ports.ts';
import type { LaunchedServer } from './server.ts';

const BROKERS = 3;
const MACHINE = ['-Xms128m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
/** Bytes of a random id as Kafka writes it. */
const UUID_BYTES = 16;

/** Launches the cluster. @param prepared folder from `prepareLocalKafka` */
export async function launchLocalKafkaCluster(prepared: string): Promise<LaunchedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-kafka-cluster-'));
  const ports = await freePorts(2 * BROKERS);
  const [clients, controllers] = [ports.slice(0, BROKERS), ports.slice(BROKERS)];
  const voters = controllers.map((port, n) => `${n + 1}@127.0.0.1:${port}`).join(',');
  const servers = clients.map((port, n) => {
    const home = join(folder, `broker-${n + 1}`);
    const logs = join(home, 'logs');
    mkdirSync(home);
    cpSync(join(prepared, TEMPLATE), logs, { recursive: true });
    renumber(join(logs, 'meta.properties'), n + 1);
    const settings = join(home, 'server.properties');
    writeFileSync(settings, properties(logs, n + 1, port, controllers[n]!, voters));
    return new ChildServer('java', [...javaOptions(prepared, MACHINE), 'kafka.Kafka', settings], port, READY);
  });
  const all = async (work: (server: ChildServer) => Promise<void>) =>
    void (await Promise.all(servers.map(work)));
  await all((server) => server.start());
  return {
    address: clients.map((port) => `127.0.0.1:${port}`).join(','),
    proxied: undefined,
    proxyTarget: clients[0]!,
    kill: () => all((server) => server.end('SIGKILL')),
    halt: () => all((server) => server.end('SIGTERM')),
    restart: () => all((server) => server.start()),
    async stop() {
      await all((server) => server.end('SIGKILL'));
      rmSync(folder, { recursive: true, force: true });
    },
    nodes: servers.map(nodeControlsOf),
  };
}

/** Rewrites the formatted folder for another node, because every folder needs an id of its own. */
function renumber(file: string, node: number): void {
  const id = randomBytes(UUID_BYTES).toString('base64url').replace(/^-/, 'a');
  const text = readFileSync(file, 'utf8')
    .replace(/^node\.id=.*$/m, `node.id=${node}`)
    .replace(/^directory\.id=.*$/m, `directory.id=${id}`);
  writeFileSync(file, text);
}

function properties(logs: string, node: number, broker: number, controller: number, voters: string): string {
  return `process.roles=broker,controller
node.id=${node}
controller.quorum.voters=${voters}
controller.quorum.election.timeout.ms=1000
controller.quorum.fetch.timeout.ms=2000
listeners=DIRECT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=DIRECT://127.0.0.1:${broker}
listener.security.protocol.map=DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=DIRECT
controller.listener.names=CONTROLLER
log.dirs=${logs}
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
share.coordinator.state.topic.replication.factor=3
share.coordinator.state.topic.min.isr=2
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
replica.lag.time.max.ms=3000
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
message.max.bytes=5242880
log.cleaner.dedupe.buffer.size=16777216
num.io.threads=2
num.network.threads=1
background.threads=2
quota.window.num=3
quota.window.size.seconds=1
`;
}
