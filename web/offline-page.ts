import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin } from 'vite';

const NAME = 'verify.html';

export interface OfflinePage {
  readonly html: string;
  /** Of the file, lower-case hex. */
  readonly sha256: string;
}

/** The page that checks proofs, in one file: script and style inside, allowed by their hashes and nothing else. */
export async function buildOfflinePage(shared: InlineConfig): Promise<OfflinePage> {
  const built = await build({
    ...shared,
    configFile: false,
    logLevel: 'warn',
    define: { ...shared.define, SAVED_PAGE_SHA256: '""' },
    build: {
      ...shared.build,
      write: false,
      cssCodeSplit: false,
      rolldownOptions: {
        ...shared.build?.rolldownOptions,
        input: fileURLToPath(new URL('src/verify/offline.tsx', import.meta.url)),
        // What comes later elsewhere is inside here.
        output: { codeSplitting: false },
      },
    },
  });
  if (!('output' in built)) throw new Error('one build was expected');
  const [script, ...others] = built.output.filter((one) => one.type === 'chunk');
  const styles = built.output.flatMap((one) =>
    one.type === 'asset' && one.fileName.endsWith('.css') ? [String(one.source)] : [],
  );
  if (script === undefined || others.length > 0) throw new Error(`${NAME} needs exactly one script`);
  const html = pageOf(withoutEnd(script.code, 'script'), withoutEnd(styles.join('\n'), 'style'));
  return { html, sha256: createHash('sha256').update(html).digest('hex') };
}

/** Text of a script or style ends at the first end tag, wherever it stands. */
const withoutEnd = (text: string, element: string): string =>
  text
    .trim()
    .replaceAll(new RegExp(`</(?=${element})`, 'gi'), '<\\/')
    .replaceAll('<!--', '<\\!--');

function pageOf(script: string, style: string): string {
  const [ofScript, ofStyle] = [script, style].map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const policy = `default-src 'none'; script-src ${ofScript}; style-src ${ofStyle}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="referrer" content="no-referrer" />
    <title>Sentinel Node</title>
    <style>${style}</style>
  </head>
  <body>
    <div id="root"></div>
    <noscript>This page needs JavaScript.</noscript>
    <script type="module">${script}</script>
  </body>
</html>
`;
}

/** Puts the page beside the console, and says its hash, so that people can compare it. */
export function offlinePage({ html, sha256 }: OfflinePage): Plugin {
  return {
    name: 'offline-page',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      await writeFile(join(dir, NAME), html);
      this.info(`${NAME} ${Buffer.byteLength(html)} bytes, SHA-256 ${sha256}`);
    },
  };
}
