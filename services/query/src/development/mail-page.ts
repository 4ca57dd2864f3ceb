import type { KeptMail } from '../mail/development-mailer.ts';
import { escapeHtml } from '../mail/escape-html.ts';
import { page } from './page.ts';

/** Renders the kept mails, newest first, as text with clickable links. */
export function mailPage(mails: readonly KeptMail[]): string {
  const shown = mails.map(shownMail).join('\n');
  return page(
    'Development mail',
    `<h1>Development mail</h1>
<p>Mails are kept here instead of being sent.</p>
${shown === '' ? '<p>There are no mails.</p>' : shown}`,
  );
}

function shownMail({ to, subject, text, links, sentAt }: KeptMail): string {
  const items = links.map((link) => `<li><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></li>`);
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${escapeHtml(sentAt)}">${escapeHtml(sentAt)}</time></p>
<pre>${escapeHtml(text)}</pre>
<ul>${items.join('')}</ul>
</article>`;
}
