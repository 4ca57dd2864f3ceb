/** The programs of docs/webhooks.md that check a signature: they take what is signed here, and nothing else. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { skipWithoutPython } from '@sentinel-node/test-kit/other-programs';
import { signatureHeaders } from '../src/webhooks/signature.ts';

const DOCUMENT = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const program = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(DOCUMENT)?.[1];
  if (found === undefined) throw new Error(`docs/webhooks.md has no program in ${language}`);
  return found;
};

const [key, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 9)];
const secret = `whsec_${key.toString('base64')}`;
const body = '{"text":"é"}';
const signed = (keys: readonly Uint8Array[], age = 0) => {
  const timestamp = Math.floor(Date.now() / 1_000) - age;
  return signatureHeaders(keys, { id: 'n', timestamp, body });
};
/** Headers, body, and whether they are from here. */
const CASES = [
  [signed([key]), body, true],
  [signed([other, key]), body, true],
  [signed([other]), body, false],
  [signed([key]), `${body} `, false],
  [signed([key], 3_600), body, false],
  [{ ...signed([key]), 'webhook-id': 'm' }, body, false],
  [{ ...signed([key]), 'webhook-signature': 'v1,short' }, body, false],
] as const;

t.test('in Node', async (t) => {
  const file = join(t.testdir(), 'check.mjs');
  writeFileSync(file, program('js'));
  type Check = (secret: string, headers: object, body: string) => boolean;
  const { isFromSentinel } = (await import(pathToFileURL(file).href)) as { isFromSentinel: Check };
  for (const [headers, text, expected] of CASES) t.equal(isFromSentinel(secret, headers, text), expected);
});

t.test('in Python', { skip: skipWithoutPython() }, async (t) => {
  const calls = [
    'import json, sys',
    'for secret, headers, body in json.load(sys.stdin):',
    '    print(is_from_sentinel(secret, headers, body.encode()))',
  ];
  const input = JSON.stringify(CASES.map(([headers, text]) => [secret, headers, text]));
  const source = [program('python'), ...calls].join('\n');
  const { stdout, stderr } = spawnSync('python3', ['-c', source], { input, encoding: 'utf8' });
  const expected = CASES.map(([, , isSigned]) => (isSigned ? 'True' : 'False'));
  t.same(stdout.trim().split('\n'), expected, stderr);
});
