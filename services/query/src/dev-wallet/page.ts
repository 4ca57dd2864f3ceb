import { escapeHtml } from '../mail/escape-html.ts';

export interface WalletPage {
  readonly email: string;
  readonly name: string;
  readonly redirect: string;
  readonly callback: string;
  /** What was wrong with the last try. */
  readonly problem?: string;
}

/** A form without a script: posting it answers with a redirect. */
export function walletPage({ email, name, redirect, callback, problem }: WalletPage): string {
  const field = (label: string, id: string, type: string, value: string): string =>
    `<p><label for="${id}">${label}</label><br>
    <input id="${id}" name="${id}" type="${type}" value="${escapeHtml(value)}" required maxlength="200"></p>`;
  const hidden = (id: string, value: string): string =>
    `<input type="hidden" name="${id}" value="${escapeHtml(value)}">`;
  return page(
    'Development wallet',
    `<h1>Development wallet</h1>
<p>This wallet is for development only: it lets anyone sign in as anyone.</p>
${problem === undefined ? '' : `<p role="alert"><strong>${escapeHtml(problem)}</strong></p>`}
<form method="post" action="/dev-wallet/login">
  ${field('E-mail', 'email', 'email', email)}
  ${field('Name', 'name', 'text', name)}
  ${hidden('redirect', redirect)}
  ${hidden('callback', callback)}
  <p><button type="submit">Sign in</button></p>
</form>`,
  );
}

export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Sentinel Node</title>
<link rel="stylesheet" href="/dev-style.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** The pages of the development parts; a file of its own because the policy allows no style within a page. */
export const DEVELOPMENT_STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
input { font: inherit; width: 100%; max-width: 24rem; padding: 0.5rem; box-sizing: border-box; }
button { font: inherit; padding: 0.5rem 1.25rem; cursor: pointer; }
article { border-top: 1px solid; padding: 1rem 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font: inherit; }
`;
