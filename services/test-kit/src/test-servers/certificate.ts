/** A certificate that `openssl` makes for a test. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { isRequired } from './required.ts';

/** False where `SENTINEL_TEST_REQUIRE` names `openssl`: there a missing one fails the tests. */
export const skipWithoutOpenssl: string | false =
  spawnSync('openssl', ['version']).error !== undefined &&
  !isRequired('openssl') &&
  'openssl is not installed, so there is no certificate to serve with';

interface Wishes {
  readonly addresses: readonly string[];
  /** Days of validity. Default: 1. */
  readonly days?: number;
}

/**
 * Makes a self-signed certificate for localhost and `addresses`, in a folder that is removed with the test.
 * @returns the paths of both files
 */
export function makeCertificate(t: Test, { addresses, days = 1 }: Wishes): { cert: string; key: string } {
  // Not `t.testdir`, which empties the folder of an earlier call.
  const dir = mkdtempSync(join(tmpdir(), 'certificate-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const names = ['DNS:localhost', ...addresses.map((address) => `IP:${address}`)].join();
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`];
  const options = [
    '-newkey',
    'ed25519',
    '-nodes',
    '-days',
    `${days}`,
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', ['req', '-x509', ...options], { stdio: 'ignore' });
  return { cert, key };
}
