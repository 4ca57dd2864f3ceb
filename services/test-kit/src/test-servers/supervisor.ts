/**
 * A process that runs one server as long as a client is connected to it, so that a test leaves no server behind,
 * however it ends. Arguments: kind, milliseconds to stay after the last connection, port of a proxy or 0, wishes for
 * a broker as JSON.
 * Prints one line of JSON: a `Supervised`. The supervisor greets a client with the address of the server; the client
 * sends lines of JSON `{ "op": …, "node": … }`, each answered by one line; a command without a node is for all nodes.
 */
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { launch } from './launch.ts';
import { TestServerUnavailableError } from './server.ts';
import type { LaunchedServer, LaunchOptions, ServerKind } from './server.ts';
import type { Supervised, SupervisorCommand } from './supervisor-client.ts';

/** Milliseconds to wait for the first client. */
const FIRST_CLIENT_MS = 30_000;

const [kind, linger, proxyPort, wishes = '{}'] = process.argv.slice(2);

async function run(server: LaunchedServer): Promise<void> {
  const clients = new Set<Socket>();
  const listener = createServer();
  const leave = () => {
    if (clients.size > 0) return;
    listener.close();
    void server.stop().finally(() => process.exit(0));
  };
  let timer = setTimeout(leave, FIRST_CLIENT_MS);
  listener.on('connection', (socket) => {
    clients.add(socket);
    clearTimeout(timer);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clients.delete(socket);
      if (clients.size === 0) timer = setTimeout(leave, Number(linger));
    });
    socket.write(`${server.address}\n`);
    serve(server, socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { address, proxied, proxyTarget } = server;
  const { port } = listener.address() as AddressInfo;
  say({ port, address, proxied, proxyTarget, nodes: server.nodes?.length ?? 1 });
}

function serve(server: LaunchedServer, socket: Socket): void {
  createInterface({ input: socket }).on('line', (line) => {
    perform(server, JSON.parse(line) as SupervisorCommand).then(
      () => socket.write('{}\n'),
      (error: Error) => socket.write(`${JSON.stringify({ error: error.message })}\n`),
    );
  });
}

async function perform(server: LaunchedServer, { op, node }: SupervisorCommand): Promise<void> {
  if (node !== undefined) return server.nodes?.[node]?.[op]();
  return server[op]();
}

function say(answer: Supervised): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

// A parent that has ended reads nothing; then no first client comes.
process.stdout.on('error', () => undefined);
// The terminal's interrupt reaches the whole process group; the server ends when its clients have gone.
process.on('SIGINT', () => undefined);
try {
  const proxied = proxyPort === '0' ? {} : { proxyPort: Number(proxyPort) };
  await run(await launch(kind as ServerKind, { ...proxied, ...(JSON.parse(wishes) as LaunchOptions) }));
} catch (error) {
  say({ error: messageOf(error), unavailable: error instanceof TestServerUnavailableError });
  process.exitCode = 1;
}
