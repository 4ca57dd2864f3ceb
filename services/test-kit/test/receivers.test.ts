/** Tests that a receiver comes back at its port, or says that somebody else has it. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { makeCertificate } from '../src/test-servers/certificate.ts';
import { SyslogReceiver, WebhookReceiver } from '../src/test-servers/index.ts';

/** First port that outgoing connections get on Linux; other systems begin above. */
const FIRST_OF_CONNECTIONS = 32_768;

async function startSyslog(t: Test): Promise<SyslogReceiver> {
  const files = makeCertificate(t, { addresses: ['127.0.0.1'] });
  return SyslogReceiver.start({ cert: readFileSync(files.cert), key: readFileSync(files.key) });
}

for (const [name, start] of Object.entries({ webhooks: () => WebhookReceiver.start(), syslog: startSyslog }))
  t.test(`a receiver of ${name} that goes online again`, async (t) => {
    const receiver = await start(t);
    t.ok(receiver.port < FIRST_OF_CONNECTIONS, 'no connection takes its port while it is away');
    const { port } = receiver;
    await receiver.goOffline();
    await receiver.goOnline();
    t.equal(receiver.port, port);
    await receiver.goOffline();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    await t.rejects(receiver.goOnline(), { code: 'EADDRINUSE' });
    await new Promise((resolve) => other.close(resolve));
    await receiver.goOnline();
    t.equal(receiver.port, port, 'when the port is free again');
    await receiver.goOffline();
  });
