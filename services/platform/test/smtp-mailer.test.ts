import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  MailDeferredError,
  MailRefusedError,
  SmtpMailer,
  type MailMessage,
  type SmtpMailerOptions,
} from '../src/index.ts';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { mailboxOf } from '../src/mail/mailbox.ts';
import { makeCertificate, skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { startSmtp } from './smtp-server.ts';

const LINK = 'https://sentinel.example/user/confirm/' + 'a'.repeat(90);
const MAIL: MailMessage = {
  id: '0199-7',
  to: 'ada@example.org',
  subject: 'Activate your Sentinel Node account',
  text: `Hello Zoë 李,\n\n${LINK}\n`,
  html: `<p>Hello Zoë 李,</p><a href="${LINK}">${LINK}</a>`,
  links: [LINK],
};
const NOW = Date.UTC(2026, 10, 21, 10);
const FROM = 'Sentinel Node <no-reply@sentinel.example>';

function mailer(t: Test, options: Partial<SmtpMailerOptions> & { url: string }): SmtpMailer {
  const made = new SmtpMailer({ from: FROM, clock: new ManualClock(NOW), ...options });
  t.teardown(() => made.close());
  return made;
}
const at = (port: number): string => `smtp://127.0.0.1:${port}`;

t.test('a mail arrives as text and as HTML, from the configured sender', async (t) => {
  const { port, mails } = await startSmtp(t);
  await mailer(t, { url: at(port) }).send(MAIL);
  const [mail] = mails;
  matchWhole(t, mail, { from: 'no-reply@sentinel.example', to: ['ada@example.org'], secure: false });
  t.equal(mail!.headers.get('from'), FROM);
  t.equal(mail!.headers.get('to'), 'ada@example.org');
  t.equal(mail!.headers.get('subject'), MAIL.subject);
  t.equal(mail!.headers.get('date'), 'Sat, 21 Nov 2026 10:00:00 +0000');
  t.equal(mail!.headers.get('message-id'), '<0199-7@sentinel.example>');
  t.equal(mail!.headers.get('auto-submitted'), 'auto-generated');
  t.match(mail!.headers.get('content-type'), /^multipart\/alternative;/);
  t.strictSame([...mail!.parts.keys()], ['text/plain', 'text/html'], 'the richest last (RFC 2046 5.1.4)');
  t.equal(mail!.parts.get('text/plain')!.replaceAll('\r\n', '\n').trim(), MAIL.text.trim());
  t.equal(mail!.parts.get('text/html'), MAIL.html);
});

t.test('mails of one thread name the same message, and headers go with them', async (t) => {
  const { port, mails } = await startSmtp(t);
  const headers = { 'List-Unsubscribe': `<${LINK}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  await mailer(t, { url: at(port) }).send({ ...MAIL, thread: 'alert-1', headers });
  const { headers: got } = mails[0]!;
  t.equal(got.get('references'), '<alert-1@sentinel.example>');
  t.equal(got.get('in-reply-to'), '<alert-1@sentinel.example>');
  t.equal(got.get('message-id'), '<0199-7@sentinel.example>');
  t.equal(got.get('list-unsubscribe'), `<${LINK}>`);
  t.equal(got.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  t.equal(got.get('auto-submitted'), 'auto-generated');
});

t.test('lines that are dots, or begin with one, arrive as they were', async (t) => {
  const { port, mails } = await startSmtp(t);
  const text = '.\n..\n.begin\nQUIT\n.\nend';
  await mailer(t, { url: at(port) }).send({ ...MAIL, text });
  t.equal(mails.length, 1);
  t.equal(mails[0]!.parts.get('text/plain')!.replaceAll('\r\n', '\n').trim(), text);
});

t.test('neither names nor addresses can add a header, a recipient or a command', async (t) => {
  const { port, mails } = await startSmtp(t);
  const smtp = mailer(t, { url: at(port) });
  const evil = 'Eve\r\nBcc: victim@example.org\r\n\r\n<p>body</p>';
  await smtp.send({ ...MAIL, subject: `Hello ${evil}` });
  t.strictSame(mails[0]!.to, ['ada@example.org']);
  t.notOk(mails[0]!.headers.has('bcc'));
  t.equal(mails[0]!.headers.get('subject'), 'Hello Eve Bcc: victim@example.org <p>body</p>');
  const addresses = [
    'ada@example.org\r\nRCPT TO:<victim@example.org>',
    'ada@example.org, victim@example.org',
    'Ada <ada@example.org>',
    '<ada@example.org> SIZE=1',
    'ada@example.org\u0000',
    'no address',
  ];
  for (const to of addresses)
    await t.rejects(smtp.send({ ...MAIL, to }), MailRefusedError, JSON.stringify(to));
  t.equal(mails.length, 1);
});

t.test('what the server says for good is told apart from what passes', async (t) => {
  let answer: [number, string] = [550, '5.1.1 no such\tmailbox'];
  const refuse = (done: (error: Error) => void) =>
    done(Object.assign(new Error(answer[1]), { responseCode: answer[0] }));
  const { port, mails } = await startSmtp(t, { onRcptTo: (_, __, done) => refuse(done) });
  const smtp = mailer(t, { url: at(port) });
  await t.rejects(smtp.send(MAIL), { name: 'MailRefusedError', message: '550 5.1.1 no such mailbox' });
  answer = [450, '4.2.0 greylisted, try again'];
  await t.rejects(smtp.send(MAIL), {
    name: 'MailDeferredError',
    message: '450 4.2.0 greylisted, try again',
    cause: { responseCode: 450 },
  });
  answer = [421, '4.3.2 closing'];
  t.notOk((await smtp.send(MAIL).catch((error: unknown) => error)) instanceof MailDeferredError);
  t.equal(mails.length, 0);
});

t.test('a sender that is not taken now is no matter of the mailbox', async (t) => {
  const busy = Object.assign(new Error('4.7.0 too many mails'), { responseCode: 450 });
  const { port } = await startSmtp(t, { onMailFrom: (_, __, done) => done(busy) });
  const passing = await mailer(t, { url: at(port) })
    .send(MAIL)
    .catch((error: unknown) => error);
  t.match(passing, { responseCode: 450 });
  t.notOk(passing instanceof MailDeferredError);
});

t.test('a sender that is refused for good is no matter of the mail, unless it is too large', async (t) => {
  let answer = 553;
  const { port } = await startSmtp(t, {
    onMailFrom: (_, __, done) =>
      done(Object.assign(new Error('5.7.1 sender refused'), { responseCode: answer })),
  });
  const smtp = mailer(t, { url: at(port) });
  const failed = await smtp.send(MAIL).catch((error: unknown) => error);
  t.match(failed, { responseCode: 553 });
  t.notOk(failed instanceof MailRefusedError, 'the operator may correct it while the mail waits');
  answer = 552;
  await t.rejects(smtp.send(MAIL), MailRefusedError);
});

t.test('a server that is down, silent, or stalls fails the mail in bounded time', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const sockets = new Set<{ destroy(): void }>();
  silent.on('connection', (socket) => sockets.add(socket));
  await t.rejects(mailer(t, { url: at(port), times: { greetingMs: 100 } }).send(MAIL), { code: 'ETIMEDOUT' });
  await t.rejects(mailer(t, { url: at(port), times: { sendMs: 100 } }).send(MAIL), { name: /Timeout|Abort/ });
  const given = new AbortController();
  const sending = mailer(t, { url: at(port) }).send(MAIL, given.signal);
  given.abort();
  await t.rejects(sending, 'the caller gives up');
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  const down = await mailer(t, { url: at(port) })
    .send(MAIL)
    .catch((error: unknown) => error);
  t.ok(down instanceof Error && !(down instanceof MailRefusedError));
});

t.test('connections are few, and used again', async (t) => {
  const { port, mails, connections } = await startSmtp(t);
  const smtp = mailer(t, { url: at(port) });
  await Promise.all(Array.from({ length: 40 }, () => smtp.send(MAIL)));
  t.equal(mails.length, 40);
  t.ok(connections() <= 4, `${connections()} connections`);
});

t.test('TLS, and a password that only goes over it', { skip: skipWithoutOpenssl }, async (t) => {
  const files = makeCertificate(t, { addresses: ['127.0.0.1', '0.0.0.0'] });
  const [cert, key] = [readFileSync(files.cert, 'utf8'), readFileSync(files.key, 'utf8')];
  const seen: string[] = [];
  const onAuth: NonNullable<Parameters<typeof startSmtp>[1]>['onAuth'] = (
    { username, password },
    _,
    done,
  ) => {
    seen.push(`${username}:${password}`);
    if (password === 'p@ss wörd') done(null, { user: username ?? '' });
    else done(Object.assign(new Error('no'), { responseCode: 535 }));
  };
  const secure = await startSmtp(t, { secure: true, cert, key, onAuth });
  const url = `smtps://us%40er:p%40ss%20w%C3%B6rd@127.0.0.1:${secure.port}`;
  await mailer(t, { url, ca: cert }).send(MAIL);
  t.match(secure.mails[0], { user: 'us@er', secure: true });
  t.strictSame(seen, ['us@er:p@ss wörd']);
  await t.rejects(mailer(t, { url }).send(MAIL), 'a server that nobody vouches for gets nothing');
  const wrong = await mailer(t, { url: url.replace('p%40ss', 'x'), ca: cert })
    .send(MAIL)
    .catch((error: unknown) => error);
  t.match(wrong, { code: 'EAUTH' });
  t.notOk(wrong instanceof MailRefusedError, 'a password can be mended while the mail waits');

  const upgraded = await startSmtp(t, { cert, key, onAuth });
  await mailer(t, { url: `smtp://us%40er:p%40ss%20w%C3%B6rd@127.0.0.1:${upgraded.port}`, ca: cert }).send(
    MAIL,
  );
  t.match(upgraded.mails[0], { secure: true }, 'STARTTLS when offered');

  const stripped = await startSmtp(t, { onAuth, allowInsecureAuth: true });
  const before = seen.length;
  // 0.0.0.0 reaches this machine, but is not a loopback address.
  await t.rejects(mailer(t, { url: `smtp://user:secret@0.0.0.0:${stripped.port}` }).send(MAIL), {
    code: 'ETLS',
  });
  t.equal(seen.length, before, 'the password stayed here');
});

t.test('a mailbox is an address, perhaps with a name before it', async (t) => {
  t.strictSame(mailboxOf('a@b.example'), { name: '', address: 'a@b.example' });
  t.strictSame(mailboxOf('Zoë von A. <a@b.example>'), { name: 'Zoë von A.', address: 'a@b.example' });
  t.strictSame(mailboxOf('a@[IPv6:::1]'), { name: '', address: 'a@[IPv6:::1]' });
  for (const text of [
    '',
    'a',
    'a@b, c@d',
    'A\n<a@b>',
    '"A" <a@b>',
    'A <a@b> c',
    'a@b\r\n',
    `${'a'.repeat(254)}@b`,
  ])
    t.equal(mailboxOf(text), undefined, JSON.stringify(text.slice(0, 20)));
});
