/** Tests the way of a mail to a real SMTP server, and that the call does not wait for the server. */
import { SMTPServer } from 'smtp-server';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { MAIL_LIMITS } from '../src/mail/outbox.ts';
import { MAILS_COLLECTION } from '../src/mail/queued-mail.ts';
import { createWorld, eventually, eventuallyMailed, type World } from './world.ts';

interface Inbox {
  readonly port: number;
  readonly mails: { readonly to: string; readonly raw: string }[];
  /** Answer to RCPT TO; undefined to accept. */
  answer: { readonly responseCode: number; readonly message: string } | undefined;
}

async function startInbox(t: Test, port = 0): Promise<Inbox> {
  const inbox = { port, mails: [], answer: undefined } as Inbox & { port: number };
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_, __, done) => {
      const { answer } = inbox;
      if (answer === undefined) done();
      else done(Object.assign(new Error(answer.message), answer));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        inbox.mails.push({ to: envelope.rcptTo[0]!.address, raw: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  inbox.port = (server.server.address() as AddressInfo).port;
  return inbox;
}

const worldWith = (t: Test, port: number): Promise<World> =>
  createWorld(t, {
    SENTINEL_MAIL: `smtp://127.0.0.1:${port}`,
    SENTINEL_MAIL_FROM: 'Acme IT <it@acme.example>',
  });

/** Founds an organisation; the test reads its activation mail. @returns the status of the call */
async function found(world: World, userName = 'Zoë "the" 李'): Promise<number> {
  const founder = await world.signIn('zoe@example.org');
  const request = { name: 'Acme', userName, e2Id: founder.session.userId, emailAddress: 'zoe@example.org' };
  return (await founder.call('POST', '/orgs', request)).status;
}

/** Resolves when the mail server was tried `n` times. */
async function triedTimes({ clock, store }: World, n: number): Promise<void> {
  await eventuallyMailed(clock, async () => {
    const [mail] = await store.find(MAILS_COLLECTION.name, { limit: 1 });
    return Number(mail?.['attempts']) >= n ? true : undefined;
  });
}

const firstMailIn = (inbox: Inbox, { clock }: World): Promise<Inbox['mails'][number]> =>
  eventuallyMailed(clock, async () => inbox.mails[0]);

const linkIn = (raw: string): string | undefined =>
  /user\/confirm\/([\w-]+)/.exec(raw.replaceAll('=\r\n', ''))?.[1];

t.test('an activation mail comes by SMTP, and its link works', async (t) => {
  const inbox = await startInbox(t);
  const world = await worldWith(t, inbox.port);
  t.equal(await found(world), 201);
  const mail = await firstMailIn(inbox, world);
  t.equal(mail.to, 'zoe@example.org');
  t.match(mail.raw, /^From: Acme IT <it@acme\.example>\r$/m);
  t.match(mail.raw, /http:\/\/localhost:8443\/user\/confirm\//);
  t.equal((await world.call('PUT', `/users/confirm/link/${linkIn(mail.raw)}`)).body, 'OK');
  t.equal((await world.call('GET', '/dev-mail/messages')).status, 404, 'no development mail beside it');
  await eventually(async () => ((await world.store.count(MAILS_COLLECTION.name)) === 0 ? true : undefined));
});

t.test('a server that greylists or refuses delays the mail and not the call', async (t) => {
  const inbox = await startInbox(t);
  inbox.answer = { responseCode: 450, message: '4.2.0 greylisted' };
  const world = await worldWith(t, inbox.port);
  t.equal(await found(world), 201);
  await triedTimes(world, 1);
  inbox.answer = { responseCode: 550, message: '5.7.1 refused by mistake' };
  world.clock.advance(MAIL_LIMITS.firstRetryMs);
  await triedTimes(world, 2);
  inbox.answer = undefined;
  world.clock.advance(MAIL_LIMITS.longestRetryMs);
  const mail = await firstMailIn(inbox, world);
  t.equal((await world.call('PUT', `/users/confirm/link/${linkIn(mail.raw)}`)).body, 'OK');
});

t.test('a server that takes the connection and says nothing delays the mail and not the call', async (t) => {
  const connections: Socket[] = [];
  const silent = createServer((connection) => void connections.push(connection));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const connection of connections) connection.destroy();
    silent.close();
  });
  const world = await worldWith(t, (silent.address() as AddressInfo).port);
  t.equal(await found(world), 201);
  const connection = await eventuallyMailed(world.clock, async () => connections[0]);
  t.notOk(connection.closed, 'the call was answered while the server was waited for');
  t.equal(await world.store.count(MAILS_COLLECTION.name), 1, 'the mail waits');
});

t.test('a server that is down delays the mail and not the call', async (t) => {
  const port = await freePort('127.0.0.1');
  const away = await worldWith(t, port);
  t.equal(await found(away), 201);
  await triedTimes(away, 1);
  const back = await startInbox(t, port);
  away.clock.advance(MAIL_LIMITS.longestRetryMs);
  t.equal((await firstMailIn(back, away)).to, 'zoe@example.org');
});

t.test('names that look like headers stay text', async (t) => {
  const inbox = await startInbox(t);
  const world = await worldWith(t, inbox.port);
  await found(world, 'Eve\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>');
  const { raw, to } = await firstMailIn(inbox, world);
  t.equal(to, 'zoe@example.org');
  t.notMatch(raw, /^Bcc:/im);
  t.notMatch(raw.slice(raw.indexOf('text/html')), /<script>/);
});
