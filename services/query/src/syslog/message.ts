/** Formats a notice as a syslog message (RFC 5424) with its length (RFC 5425, 4.3; RFC 6587, 3.4.1). Pure. */
import { NOTICE_EVENT_PREFIX, type NoticeEvent, type Severity } from '@sentinel-node/contracts';

export interface MessageOptions {
  /** From 0 to 23. */
  readonly facility: number;
  /** SD-ID: `name@private enterprise number`. */
  readonly sdId: string;
  /** HOSTNAME: printable ASCII without blanks. */
  readonly host: string;
  /** Longest message in bytes, without its count; at least 2,048. */
  readonly maxBytes: number;
}

/** Numerical severities (RFC 5424, table 2): critical, warning, informational. */
const SEVERITY: Readonly<Record<Severity, number>> = { critical: 2, warning: 4, info: 6 };
const SEVERITIES = 8;
const APP_NAME = 'sentinel-node';
const NIL = '-';
const LONGEST_HOST = 255;
const LONGEST_MSGID = 32;
const BOM = '\uFEFF';
const CUT_MARK = '…';
/**
 * Divisors of the message size for names that people choose: the sentence and the short ids fit beside them.
 */
const SHARES = { path: 4, name: 12, actor: 12, other: 24 } as const;

/** Returns the message after its length: `LENGTH SP MESSAGE`. */
export function frameMessage(event: NoticeEvent, options: MessageOptions): Buffer {
  const message = syslogMessage(event, options);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/**
 * Returns at most `maxBytes` bytes: texts are cut between characters, and `cut` names them. The same event
 * gives the same bytes.
 */
export function syslogMessage(event: NoticeEvent, options: MessageOptions): Buffer {
  const { facility, host, maxBytes, sdId } = options;
  const type = event.type.slice(NOTICE_EVENT_PREFIX.length);
  const priority = facility * SEVERITIES + SEVERITY[event.data.severity];
  const hostname = headerText(host, LONGEST_HOST);
  const head = `<${priority}>1 ${event.time} ${hostname} ${APP_NAME} ${NIL} ${headerText(type, LONGEST_MSGID)}`;
  const cut: string[] = [];
  const parameters = parametersOf(event, type).map(([name, value, share]) => {
    const short = cutTo(escaped(value), Math.floor(maxBytes / share));
    if (short.isCut) cut.push(name);
    return `${name}="${short.text}"`;
  });
  const data = (): string =>
    `[${[sdId, ...parameters, ...(cut.length > 0 ? [`cut="${cut.join()}"`] : [])].join(' ')}]`;
  const text = messageText(event.data.text);
  const room = maxBytes - Buffer.byteLength(`${head} ${data()} `);
  if (Buffer.byteLength(text) <= room) return Buffer.from(`${head} ${data()} ${text}`);
  cut.push('msg');
  const left = maxBytes - Buffer.byteLength(`${head} ${data()} `);
  return Buffer.from(`${head} ${data()} ${cutTo(text, left).text}`);
}

type Parameter = readonly [name: string, value: string, share: number];

function parametersOf({ id, orgid, subject, data }: NoticeEvent, type: string): Parameter[] {
  const { path, name, actor, other } = SHARES;
  const all: readonly (readonly [string, string | undefined, number])[] = [
    ['id', id, other],
    ['type', type, other],
    ['org', orgid, other],
    ['subject', subject, other],
    ['severity', data.severity, other],
    ['device', data.device?.id, other],
    ['deviceName', data.device?.name, name],
    ['file', data.file?.id, other],
    ['path', data.file?.path, path],
    ['alert', data.alert?.id, other],
    ['alertType', data.alert?.type, other],
    ['alertStatus', data.alert?.status, other],
    ['actor', data.actor, actor],
    ['link', data.link, name],
  ];
  return all.filter((one): one is Parameter => one[1] !== undefined);
}

/**
 * Escapes a PARAM-VALUE (RFC 5424, 6.3.3): a backslash precedes double quotes, backslashes and closing
 * brackets.
 */
const escaped = (value: string): string => visible(value).replace(/["\\\]]/g, '\\$&');

/** Returns the MSG part; a byte order mark precedes UTF-8 (RFC 5424, 6.4) unless the text is ASCII. */
function messageText(text: string): string {
  const shown = visible(text);
  return /^[\x20-\x7e]*$/.test(shown) ? shown : BOM + shown;
}

const CONTROL_PICTURES = 0x24_00;
const DELETE = 0x7f;
const PICTURE_OF_DELETE = '\u2421';

/**
 * Replaces control characters by their pictures (U+2400 to U+2421), because receivers may change them (RFC
 * 5424, 6.4) or break the line; C1 controls, line separators and lone surrogates become U+FFFD.
 */
function visible(text: string): string {
  return (
    Buffer.from(text)
      .toString()
      .replace(/[\x80-\x9f\u2028\u2029]/g, '\uFFFD')
      // oxlint-disable-next-line no-control-regex -- these are what is replaced
      .replace(/[\x00-\x1f\x7f]/g, (character) => {
        const code = character.charCodeAt(0);
        return code === DELETE ? PICTURE_OF_DELETE : String.fromCharCode(CONTROL_PICTURES + code);
      })
  );
}

/**
 * Cuts a text to `bytes` bytes of UTF-8, between two characters and never after the backslash of an escape.
 */
function cutTo(text: string, bytes: number): { readonly text: string; readonly isCut: boolean } {
  if (Buffer.byteLength(text) <= bytes) return { text, isCut: false };
  const room = bytes - Buffer.byteLength(CUT_MARK);
  const whole = Buffer.from(text);
  let end = Math.max(0, room);
  // A byte 10xxxxxx continues a character.
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--;
  const kept = whole.subarray(0, end).toString();
  const escapes = /\\+$/.exec(kept)?.[0].length ?? 0;
  return { text: (escapes % 2 === 1 ? kept.slice(0, -1) : kept) + CUT_MARK, isCut: true };
}

/** Returns PRINTUSASCII without spaces; NILVALUE when nothing is left. */
function headerText(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, length) || NIL;
}
