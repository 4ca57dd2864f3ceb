/** Tests that what came while this process stood still is looked at before a connection ends. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock, systemRandom, TargetUnavailableError, type TlsSession } from '@sentinel-node/platform';
import t from 'tap';
import { Connections } from '../src/syslog/connections.ts';

const QUIET_MS = 20;
const RETRY = { firstMs: 1, longestMs: 1 };

/** Uses the processor, so that nothing is read and no timer runs. */
function standStill(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

t.test('a receiver that leaves while this process stands still has taken nothing', async (t) => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => void accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await new Promise((resolve) => server.once('connection', resolve));
  t.teardown(() => {
    socket.destroy();
    accepted[0]!.destroy();
    server.close();
  });
  let hasLeft = false;
  socket.once('end', () => (hasLeft = true));
  let opened = 0;
  /** As `TlsSession`, over a socket without TLS: an end by the receiver before this side's own is a fault. */
  const session = {
    write: async () => {
      if (opened > 1) return;
      // After this phase of the event loop come timers, and only then sockets.
      setImmediate(() => {
        accepted[0]!.destroy();
        standStill(5 * QUIET_MS);
      });
    },
    end: async () => {
      if (opened === 1 && hasLeft) throw new TargetUnavailableError('the receiver ended the connection');
    },
    close: () => undefined,
  } as unknown as TlsSession;
  const ends: unknown[] = [];
  const connections = new Connections({
    ...{ clock: systemClock, random: systemRandom, times: { quietMs: QUIET_MS, retry: RETRY } },
    open: async () => {
      opened += 1;
      return session;
    },
    onEnd: (error) => void ends.push(error),
  });
  t.teardown(() => connections.stop());
  await t.rejects(connections.send(Buffer.from('a notice')), TargetUnavailableError);
  await connections.send(Buffer.from('a notice'));
  t.match(ends[0], { name: 'TargetUnavailableError' });
  t.equal(ends.length, 2);
});
