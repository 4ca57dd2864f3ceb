/**
 * Sends mails by SMTP (RFC 5321) with nodemailer: text and HTML, one recipient a mail, a small pool of connections.
 */
import { abortedAfter } from '@sentinel-node/contracts/deadline';
import type { SMTPPoolOptions, SMTPPoolSentMessageInfo, Transporter } from 'nodemailer';
import type { Clock, Mailer, MailMessage } from '../ports/ambient.ts';
import { MailDeferredError, MailRefusedError } from '../ports/errors.ts';
import { isLoopback } from '../config/loopback.ts';
import { mailLine } from './mail-line.ts';
import { mailboxOf, type Mailbox } from './mailbox.ts';

type Transport = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/** Times in milliseconds. */
export const SMTP_TIMES = {
  /** Limit for name look-up, TCP and TLS. */
  connectMs: 15_000,
  /** Limit for the greeting, which servers that fend off spam delay. */
  greetingMs: 30_000,
  /** Limit for silence on an open connection. */
  silenceMs: 90_000,
  /** Limit for one mail, from the pool's queue to the server's answer. */
  sendMs: 120_000,
  /** Time after which an unused connection is closed. */
  idleMs: 30_000,
} as const;

export const SMTP_LIMITS = {
  connections: 4,
  mailsPerConnection: 100,
} as const;

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`, optionally with user and password, percent-encoded. */
  readonly url: string;
  /** `Name <local@domain>` or `local@domain`. */
  readonly from: string;
  readonly clock: Clock;
  readonly times?: Partial<Record<keyof typeof SMTP_TIMES, number>>;
  /** Certificate authorities (PEM) for the server; default: those of the runtime. */
  readonly ca?: string;
}

/**
 * Sends mails. `smtps:` is TLS from the first byte. `smtp:` uses STARTTLS when the server offers it, and requires it
 * before a password leaves this machine, so that no attacker in between can strip it (RFC 8314 section 3).
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

  /**
   * @throws MailRefusedError when the server refused this mail permanently (5yz of RFC 5321); MailDeferredError when it takes
   * none for this recipient now (4yz of RCPT); Error for other failures, as a sender that it refuses
   */
  async send(message: MailMessage, signal?: AbortSignal): Promise<void> {
    const { id, to, subject, text, html, thread, headers } = message;
    const recipient = mailboxOf(to);
    if (recipient === undefined || recipient.name !== '')
      throw new MailRefusedError('the recipient is no address');
    const ending = abortedAfter(this.#sendMs, signal);
    const domain = this.#from.address.slice(this.#from.address.lastIndexOf('@') + 1);
    try {
      const transport = await (this.#transport ??= openTransport(this.#options));
      if (this.#isClosed) throw new Error('the mailer is closed');
      await transport.sendMail({
        from: this.#from,
        to: recipient,
        envelope: { from: this.#from.address, to: [recipient.address] },
        subject: mailLine(subject),
        text,
        html,
        date: new Date(this.#clock.now()),
        // A mail that is sent again keeps its id, so that mailboxes show it once.
        ...(id === undefined ? {} : { messageId: `<${id}@${domain}>` }),
        // No mail has the named id: mailboxes group mails that name the same one (RFC 5322 3.6.4).
        ...(thread === undefined
          ? {}
          : { inReplyTo: `<${thread}@${domain}>`, references: `<${thread}@${domain}>` }),
        // RFC 3834: prevents automatic replies.
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
        signal: ending,
      });
    } catch (error) {
      if (isRefusal(error)) throw new MailRefusedError(answerOf(error), { cause: error });
      if (isDeferral(error)) throw new MailDeferredError(answerOf(error), { cause: error });
      throw error;
    }
  }

  /** Closes every connection; a mail being sent fails. */
  close(): void {
    this.#isClosed = true;
    this.#transport?.then((transport) => transport.close({ force: true })).catch(() => undefined);
  }
}

/** Opens the transport; the library is loaded with the first mail, because it is a large part of a small process. */
async function openTransport(options: SMTPPoolOptions & { pool: true }): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(options);
  // A broken idle connection is replaced; the error of a mail is the rejection of `send`.
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
    // The outbox decides about retries.
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
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Properties that nodemailer adds to an error. */
const smtpAnswer = (error: unknown): SmtpAnswer => ({ ...Object(error) });

/** The mail is too large: a server that knows its size says so to MAIL FROM (RFC 1870 section 6.1). */
const TOO_LARGE = 552;

/**
 * Returns whether the server refused the mail. A refused sign-in or sender concerns this system, not the mail: it may be
 * corrected while the mail waits.
 */
function isRefusal(error: unknown): boolean {
  const { code, command, responseCode = 0 } = smtpAnswer(error);
  if (code === 'EENVELOPE' && command === 'MAIL FROM') return responseCode === TOO_LARGE;
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && responseCode < 600;
}

/** A server that closes says 421 to any command (RFC 5321 section 3.8): that is no matter of the mailbox. */
const SERVICE_CLOSES = 421;

/** Returns whether the server took the sender, and not this recipient for now. */
function isDeferral(error: unknown): boolean {
  const { code, command, responseCode = 0 } = smtpAnswer(error);
  const isForNow = responseCode >= 400 && responseCode < 500 && responseCode !== SERVICE_CLOSES;
  return code === 'EENVELOPE' && command === 'RCPT TO' && isForNow;
}

const answerOf = (error: unknown): string => smtpAnswer(error).response ?? String(error);
