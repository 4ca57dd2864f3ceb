import { mailLine, type MailMessage } from '@sentinel-node/platform';
import { escapeHtml } from '../mail/escape-html.ts';

export interface ActivationMail {
  readonly to: string;
  readonly userName: string;
  readonly organizationName: string;
  /** `<console>/user/confirm/{activateId}` */
  readonly link: string;
}

export function activationMail({ to, userName, organizationName, link }: ActivationMail): MailMessage {
  const lines = [
    `Hello ${mailLine(userName)},`,
    `please confirm your account for ${mailLine(organizationName)} at Sentinel Node. The link works once, for 7 days:`,
    'If you did not expect this message, you can ignore it.',
  ] as const;
  const [hello, request, otherwise] = lines;
  return {
    to,
    subject: 'Activate your Sentinel Node account',
    text: [hello, request, link, otherwise].join('\n\n'),
    html: [
      `<p>${escapeHtml(hello)}</p>`,
      `<p>${escapeHtml(request)}</p>`,
      `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
      `<p>${escapeHtml(otherwise)}</p>`,
    ].join('\n'),
    links: [link],
  };
}
