/** Mails by SMTP (RFC 5321) with nodemailer: text and HTML, one recipient a mail, a small pool of connections. */
import type { SMTPPoolOptions, SMTPPoolSentMessageInfo, Transporter } from 'nodemailer';
import type { Clock, Mailer, MailMessage } from '../ports/ambient.ts';
import { MailRefusedError } from '../ports/errors.ts';
import { isLoopback } from '../config/loopback.ts';
import { mailboxOf, type Mailbox } from './mailbox.ts';

type Transport = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/** Milliseconds. */
export const SMTP_TIMES = {
  /** Name look-up, TCP and TLS. */
  connectMs: 15_000,
  /** Servers that fend off spam let a client wait for their greeting. */
  greetingMs: 30_000,
  /** Silence of an open connection. */
  silenceMs: 90_000,
  /** One mail from the pool's queue to the server's answer, whatever happens in between. */
  sendMs: 120_000,
  /** An unused connection is closed. */
  idleMs: 30_000,
} as const;

export const SMTP_LIMITS = {
  connections: 4,
  mailsPerConnection: 100,
} as const;

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`, perhaps with user and password, percent-encoded. */
  readonly url: string;
  /** `Name <local@domain>` or `local@domain`. */
  readonly from: string;
  readonly clock: Clock;
  readonly times?: Partial<Record<keyof typeof SMTP_TIMES, number>>;
  /** Certificates (PEM) that vouch for the server; absent: those of the runtime. */
  readonly ca?: string;
}

/**
 * `smtps:` is TLS from the first byte. `smtp:` takes STARTTLS when it is offered, and insists on it before a password
 * leaves this machine, so that nobody in between can strip it (RFC 8314 section 3).
 */
export class SmtpMailer implements Mailer {
  readonly #from: Mailbox;
  readonly #clock: Clock;
  readonly #sendMs: number;
  readonly #options: SMTPPoolOptions & { pool: true };
  #transport: Promise<Transport> | undefined;
  #isClosed = false;

  constructor(options: SmtpMailerOptions) {
    const from = mailboxOf(options.from);
    if (from === undefined) throw new TypeError('the sender is no mailbox');
    this.#from = from;
    this.#clock = options.clock;
    const times = { ...SMTP_TIMES, ...options.times };
    this.#sendMs = times.sendMs;
    this.#options = poolOptions(options, times);
  }

  /** @throws MailRefusedError when the server said no for good (5yz of RFC 5321 to this mail); Error for the rest */
  async send({ id, to, subject, text, html }: MailMessage, signal?: AbortSignal): Promise<void> {
    const recipient = mailboxOf(to);
    if (recipient === undefined || recipient.name !== '')
      throw new MailRefusedError('the recipient is no address');
    const deadline = AbortSignal.timeout(this.#sendMs);
    const domain = this.#from.address.slice(this.#from.address.lastIndexOf('@') + 1);
    try {
      const transport = await (this.#transport ??= openTransport(this.#options));
      if (this.#isClosed) throw new Error('the mailer is closed');
      await transport.sendMail({
        from: this.#from,
        to: recipient,
        envelope: { from: this.#from.address, to: [recipient.address] },
        subject: oneLine(subject),
        text,
        html,
        date: new Date(this.#clock.now()),
        // The same mail sent twice has one id, so that mailboxes show it once.
        ...(id === undefined ? {} : { messageId: `<${id}@${domain}>` }),
        // RFC 3834: no vacation notes in answer.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      });
    } catch (error) {
      throw isRefusal(error) ? new MailRefusedError(answerOf(error), { cause: error }) : error;
    }
  }

  /** Ends every connection; a mail under way fails. */
  close(): void {
    this.#isClosed = true;
    this.#transport?.then((transport) => transport.close({ force: true })).catch(() => undefined);
  }
}

/** The library is loaded with the first mail: it is a large part of a small process. */
async function openTransport(options: SMTPPoolOptions & { pool: true }): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(options);
  // An idle connection that breaks is replaced; the error of a mail is the rejection of `send`.
  transport.on('error', () => undefined);
  return transport;
}

function poolOptions(
  { url: text, ca }: SmtpMailerOptions,
  times: Record<keyof typeof SMTP_TIMES, number>,
): SMTPPoolOptions & { pool: true } {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    pool: true,
    host,
    secure,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    requireTLS: !secure && user !== '' && !isLoopback(host),
    maxConnections: SMTP_LIMITS.connections,
    maxMessages: SMTP_LIMITS.mailsPerConnection,
    // The outbox decides when a mail is tried again.
    maxRequeues: 0,
    connectionTimeout: times.connectMs,
    dnsTimeout: times.connectMs,
    greetingTimeout: times.greetingMs,
    socketTimeout: times.silenceMs,
    idleTimeout: times.idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(ca === undefined ? {} : { tls: { ca } }),
  };
}

interface SmtpAnswer {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** What nodemailer adds to an error. */
const smtpAnswer = (error: unknown): SmtpAnswer => ({ ...Object(error) });

/** A refused sign-in is about this system, not about the mail: it may be mended while the mail waits. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = smtpAnswer(error);
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && responseCode < 600;
}

const answerOf = (error: unknown): string => smtpAnswer(error).response ?? String(error);

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
