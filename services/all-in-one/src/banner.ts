import { join } from 'node:path';
import type { Config } from '@sentinel-node/platform';
import { DEMO_PERSON } from './demo/setup.ts';
import type { RunningSystem } from './system.ts';

/** Returns the text shown when the system is ready, with the next steps. */
export function banner(config: Config, { url, demo }: Pick<RunningSystem, 'url' | 'demo'>): string {
  const open = config.publicUrl.startsWith('http://localhost') ? localhost(url) : config.publicUrl;
  const lines = [
    '',
    'Sentinel Node is ready.',
    '',
    `  console     ${open}`,
    `  data        ${config.dataDir}`,
  ];
  const development = [
    ...(config.wallet.kind === 'dev' ? ['wallet'] : []),
    ...(config.mail.kind === 'dev' ? ['mail'] : []),
    ...(config.ledger.kind === 'dev' ? ['ledger'] : []),
  ];
  if (development.length > 0) {
    lines.push(`  development ${development.join(', ')}: for trying out only; anyone can sign in as anyone`);
  }
  if (config.mail.kind === 'dev') lines.push(`  mail        ${open}/dev-mail`);
  if (demo !== undefined) lines.push('', ...invitation(open, demo.folder));
  return `${lines.join('\n')}\n\n`;
}

const localhost = (url: string): string => url.replace('127.0.0.1', 'localhost');

function invitation(open: string, folder: string): string[] {
  return [
    `A demonstration runs: an agent watches ${folder}`,
    '',
    `  1. Sign in as ${DEMO_PERSON.email}:  ${open}/login?${new URLSearchParams({ ...DEMO_PERSON }).toString()}`,
    '  2. Change a file behind its back and watch the alert appear in the console:',
    `       printf X | dd of=${quoted(join(folder, 'journal.log'))} bs=1 seek=10 conv=notrunc`,
    `       echo '# changed' >> ${quoted(join(folder, 'program.sh'))}`,
    '  3. Dismiss or reset the alert. SENTINEL_DEMO=off stops the demonstration.',
  ];
}

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
