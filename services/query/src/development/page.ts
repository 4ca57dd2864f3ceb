import { escapeHtml } from '../mail/escape-html.ts';

export interface WalletPage {
  readonly email: string;
  readonly name: string;
  readonly redirect: string;
  readonly callback: string;
  /** Error text of the last attempt. */
  readonly problem?: string;
}

/** Renders the sign-in form. It needs no script: the server answers the POST with a redirect. */
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

/** Style sheet of the development pages, in its own file because the content security policy forbids inline styles. */
export const DEVELOPMENT_STYLE = `
:root {
  color-scheme: light dark;
  --bg: #f5f6f8; --surface: #fff; --line: #c7ccd6; --text: #171b24; --quiet: #4d5667;
  --accent: #3555d1; --link: #2f4cc0; --on-accent: #fff;
  font: 0.9375rem/1.55 Inter, ui-sans-serif, system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f1218; --surface: #161a22; --line: #3d4657; --text: #e9ecf2; --quiet: #b2bac8;
    --accent: #6d88f5; --link: #9db1fb; --on-accent: #0c1126;
  }
}
body { margin: 0; background: var(--bg); color: var(--text); }
main { max-width: 40rem; margin: 10vh auto; padding: 0 1rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.75rem; letter-spacing: -0.02em; }
h1 + p, time { color: var(--quiet); }
h2 { margin: 0; font-size: 1.125rem; }
a { color: var(--link); }
form, article {
  margin-top: 1.5rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 14px;
  background: var(--surface); overflow-wrap: anywhere;
}
form { max-width: 24rem; }
form p { margin: 0 0 1rem; }
form p:last-child { margin: 1.5rem 0 0; }
label { font-weight: 550; }
input {
  width: 100%; margin-top: 0.25rem; padding: 0.5rem 0.625rem; box-sizing: border-box;
  border: 1px solid var(--line); border-radius: 6px; background: var(--surface); color: inherit; font: inherit;
}
button {
  width: 100%; padding: 0.5625rem 1rem; border: 0; border-radius: 6px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 550; cursor: pointer;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre { white-space: pre-wrap; font: inherit; }
`;
