import { type Alert, alertName, shownDateTime } from '@sentinel-node/contracts';
import type { MailMessage } from '@sentinel-node/platform';
import { escapeHtml } from '../mail/escape-html.ts';

export interface SharedAlertMail {
  readonly to: string;
  readonly alert: Pick<Alert, 'type' | 'deviceName' | 'fileName' | 'timestamp'>;
  /** `<console>/share/alert/{id}` */
  readonly link: string;
  readonly sharedBy: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Returns a mail with few details, because its link shows the alert to anyone who has it. */
export function alertSharedMail({ to, alert, link, sharedBy, expiresAt }: SharedAlertMail): MailMessage {
  const { type, deviceName, fileName, timestamp } = alert;
  const what = `${sharedBy} shared an alert with you: ${alertName[type]} of the file ${fileName} on ${deviceName}, ${shownDateTime(timestamp, 'UTC')} UTC.`;
  const line = what.replaceAll(/\s+/g, ' ');
  const end = `The link works until ${shownDateTime(expiresAt, 'UTC')} UTC.`;
  return {
    to,
    subject: 'An alert was shared with you',
    text: [line, link, end].join('\n\n'),
    html: `<p>${escapeHtml(line)}</p>\n<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>\n<p>${end}</p>`,
    links: [link],
  };
}
