/** A real SMTP server for tests, and a parser of messages (RFC 5322, 2045, 2047). */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  /** The message as received, dots unstuffed. */
  readonly raw: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded bodies by media type. */
  readonly parts: ReadonlyMap<string, string>;
}

export interface Smtp {
  readonly port: number;
  readonly mails: TakenMail[];
  /** Returns the number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startSmtp(t: Test, options: SMTPServerOptions = {}, port = 0): Promise<Smtp> {
  const mails: TakenMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: options.secure === true || options.key !== undefined ? [] : ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          secure: session.secure,
          ...parsed(Buffer.concat(chunks).toString()),
        });
        done();
      });
    },
    ...options,
    onConnect: (session, done) => {
      connections++;
      if (options.onConnect === undefined) done();
      else options.onConnect(session, done);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= new Promise((resolve) => server.close(resolve)));
  t.teardown(close);
  return { port: address.port, mails, connections: () => connections, close };
}

function parsed(raw: string): Pick<TakenMail, 'raw' | 'headers' | 'parts'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = new Map<string, string>();
  const texts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  for (const text of texts) {
    const part = split(text.replace(/^\r\n/, ''));
    const type = (part.headers.get('content-type') ?? '').split(';')[0]!;
    parts.set(type, decoded(part.body.replace(/\r\n$/, ''), part.headers.get('content-transfer-encoding')));
  }
  return { raw, headers, parts };
}

function split(text: string): { headers: Map<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: text.slice(end + 4) };
}

const words = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, coded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(coded, 'base64').toString()
        : quotedPrintable(coded.replaceAll('_', ' ')),
    );

function decoded(text: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString();
  return encoding === 'quoted-printable' ? quotedPrintable(text.replaceAll(/=\r\n/g, '')) : text;
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
