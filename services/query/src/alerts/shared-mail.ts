import { type Alert, alertName, shownDateTime } from '@sentinel-node/contracts';
import { mailLine, type MailMessage } from '@sentinel-node/platform';
import { escapeHtml } from '../mail/escape-html.ts';

export interface SharedAlertMail {
  readonly to: string;
  readonly alert: Pick<Alert, 'type' | 'deviceName' | 'fileName' | 'timestamp'>;
  /** `<console>/share/alert/{id}` */
  readonly link: string;
  readonly sharedBy: Sharer;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** The person or program that shared an alert, as the mail to strangers names it. */
export interface Sharer {
  readonly name: string;
  readonly organization: string;
  readonly isProgram: boolean;
  /** The address, when the person has proved it; null: an administrator can have typed any. */
  readonly provenAddress: string | null;
}

/**
 * Returns the sharer as text. Names are typed too, so that a name that looks like an address is left out.
 */
function sharerText({ name, organization, isProgram, provenAddress }: Sharer): string {
  const isPlain = !name.normalize('NFKC').includes('@');
  if (isProgram) return `${isPlain ? `The program ${name}` : 'A program'} of ${organization}`;
  if (provenAddress === null) return `${isPlain ? name : 'A person'} of ${organization}`;
  return `${isPlain ? `${name} (${provenAddress})` : provenAddress} of ${organization}`;
}

/** Returns a mail with few details, because its link shows the alert to anyone who has it. */
export function alertSharedMail({ to, alert, link, sharedBy, expiresAt }: SharedAlertMail): MailMessage {
  const { type, deviceName, fileName, timestamp } = alert;
  const what = `${sharerText(sharedBy)} shared an alert with you: ${alertName[type]} of the file ${fileName} on ${deviceName}, ${shownDateTime(timestamp, 'UTC')} UTC.`;
  const line = mailLine(what);
  const end = `The link works until ${shownDateTime(expiresAt, 'UTC')} UTC.`;
  return {
    to,
    subject: 'An alert was shared with you',
    text: [line, link, end].join('\n\n'),
    html: `<p>${escapeHtml(line)}</p>\n<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>\n<p>${end}</p>`,
    links: [link],
  };
}
