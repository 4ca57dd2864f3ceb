/** Writes a mail about one or several notices, as text and HTML. It never has content of a file. Pure. */
import { alertName, noticeName } from '@sentinel-node/contracts';
import { mailLine, type MailMessage } from '@sentinel-node/platform';
import { escapeHtml } from '../mail/escape-html.ts';
import type { Outgoing, Overflow, Waiting } from './mailbox.ts';
import type { Notice } from './notice.ts';

export interface MailPlace {
  readonly to: string;
  readonly organization: string;
  /** URL of the console, without a slash at the end. */
  readonly publicUrl: string;
  /** URL whose POST switches these mails off. A user's mail of required rules does not show it. */
  readonly unsubscribeUrl: string;
  /** When true, the recipient can sign in and change the setting in the console. */
  readonly isUser: boolean;
}

export function noticeMail(outgoing: Outgoing, place: MailPlace): MailMessage {
  const { id, waiting, overflow } = outgoing;
  const [first] = waiting;
  const isSingle = waiting.length === 1 && overflow === null && first !== undefined;
  const parts = isSingle ? single(first, place) : several(waiting, overflow, place);
  const isRequired =
    place.isUser && waiting.every(({ required }) => required) && overflow?.required !== false;
  const unsubscribe = isRequired ? undefined : place.unsubscribeUrl;
  const lines = [...parts.lines, ...ending(waiting, place, unsubscribe)];
  return {
    id,
    to: place.to,
    subject: parts.subject,
    text: lines.map(asText).join('\n\n'),
    html: lines.map(asHtml).join('\n'),
    links: lines.flatMap(({ link }) => link ?? []),
    ...(parts.thread === undefined ? {} : { thread: parts.thread }),
    ...(unsubscribe === undefined ? {} : { headers: unsubscribeHeaders(unsubscribe) }),
  };
}

/** RFC 8058 section 3.1. */
const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

interface Line {
  readonly text: string;
  readonly link?: string;
}

interface Parts {
  readonly subject: string;
  readonly thread?: string;
  readonly lines: readonly Line[];
}

function single({ notice }: Waiting, place: MailPlace): Parts {
  const { alert, text, at, since, severity } = notice;
  const lines: Line[] = [
    { text: mailLine(text) },
    ...(notice.device === undefined ? [] : [{ text: `Device: ${mailLine(notice.device.name)}` }]),
    ...(notice.file === undefined ? [] : [{ text: `File: ${mailLine(notice.file.path)}` }]),
    { text: `When: ${shownTime(at)}` },
    ...(since === undefined || since === at ? [] : [{ text: `Since: ${shownTime(since)}` }]),
    { text: `Severity: ${severity}` },
    { text: 'Open it', link: linkTo(notice, place.publicUrl) },
  ];
  // All mails of an alert have the same subject, so that mail programs group them.
  if (alert === undefined) return { subject: subjectOf(place, text), lines };
  const about = `${alertName[alert.type]}: ${notice.file?.path ?? ''} on ${notice.device?.name ?? ''}`;
  const again = notice.type === 'alert.raised' ? '' : 'Re: ';
  return { subject: again + subjectOf(place, about), thread: `alert-${alert.id}`, lines };
}

function several(waiting: readonly Waiting[], overflow: Overflow | null, place: MailPlace): Parts {
  const count = waiting.length + (overflow?.count ?? 0);
  const shown = count.toLocaleString('en');
  const listed: Line[] = waiting.map(({ notice }) => ({
    text: `${shownTime(notice.at)}: ${mailLine(notice.text)}`,
    link: linkTo(notice, place.publicUrl),
  }));
  const more = overflow === null ? [] : [{ text: `And ${overflowText(overflow)}.` }];
  const all = { text: 'All alerts', link: `${place.publicUrl}/alerts-history` };
  return {
    subject: subjectOf(place, `${shown} notifications`),
    lines: [
      { text: `${shown} things happened in ${mailLine(place.organization)}.` },
      ...listed,
      ...more,
      all,
    ],
  };
}

function overflowText({ types }: Overflow): string {
  return Object.entries(types)
    .map(([type, count]) => `${count.toLocaleString('en')} more of the kind “${noticeName(type)}”`)
    .join(', ');
}

function ending(
  waiting: readonly Waiting[],
  { organization, publicUrl, isUser }: MailPlace,
  unsubscribe: string | undefined,
): Line[] {
  const rules = [...new Set(waiting.map(({ rule }) => mailLine(rule)))].join(', ');
  const named = rules === '' ? '' : ` by the rule ${rules}`;
  const why = { text: `${mailLine(organization)} tells you this${named}.` };
  if (unsubscribe === undefined) return [why];
  return [
    why,
    isUser
      ? { text: 'Your notifications', link: `${publicUrl}/notifications` }
      : { text: 'The button of your mail program to unsubscribe ends these mails.' },
  ];
}

/** Returns the console's URL of the notice's alert, file or device. */
export function linkTo({ alert, device, file, type }: Notice, publicUrl: string): string {
  const deviceId = encodeURIComponent(device?.id ?? '');
  if (alert !== undefined)
    return `${publicUrl}/alerts-history?alert=${encodeURIComponent(alert.id)}&in=${deviceId}`;
  if (device === undefined || type === 'device.deleted') return `${publicUrl}/dashboard`;
  const inFile = file === undefined || type === 'file.deleted' ? '' : `?file=${encodeURIComponent(file.id)}`;
  return `${publicUrl}/device/${deviceId}${inFile}`;
}

const SUBJECT_CHARACTERS = 200;
const subjectOf = ({ organization }: MailPlace, text: string): string =>
  `[${mailLine(organization)}] ${mailLine(text)}`.slice(0, SUBJECT_CHARACTERS);

const asText = ({ text, link }: Line): string => (link === undefined ? text : `${text}: ${link}`);

function asHtml({ text, link }: Line): string {
  if (link === undefined) return `<p>${escapeHtml(text)}</p>`;
  return `<p><a href="${escapeHtml(link)}">${escapeHtml(text)}</a></p>`;
}

const shownTime = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;
