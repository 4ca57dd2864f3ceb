import { createHmac, createPublicKey, verify } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logIdOf } from '@sentinel-node/contracts';
import t from 'tap';
import {
  confirmLogKey,
  constantTimeEqual,
  deviceApiKey,
  isDeviceApiKey,
  isXsrfToken,
  loadMasterSecret,
  logKeyOf,
  LogKeyChangedError,
  openDataFolder,
  openEmbeddedDocumentStore,
  PURPOSES,
  purposeKey,
  xsrfToken,
} from '../src/index.ts';

const SECRET = 'correct horse battery staple 123';

t.test('a key a purpose, by RFC 5869', async (t) => {
  // Computes extract and expand here: HKDF with an empty salt uses 32 zero bytes.
  const prk = createHmac('sha256', Buffer.alloc(32)).update(SECRET).digest();
  const expected = createHmac('sha256', prk).update(`${PURPOSES.xsrf}\u0001`).digest();
  t.strictSame(Buffer.from(purposeKey(SECRET, PURPOSES.xsrf)), expected);
  const keys = Object.values(PURPOSES).map((purpose) =>
    Buffer.from(purposeKey(SECRET, purpose)).toString('hex'),
  );
  keys.push(Buffer.from(purposeKey(SECRET, PURPOSES.sessionTokens, 'k1')).toString('hex'));
  t.equal(new Set(keys).size, keys.length);
});

t.test('API keys of devices', async (t) => {
  const key = purposeKey(SECRET, PURPOSES.deviceApiKeys);
  const made = deviceApiKey(key, 'org', 'device', 3);
  const fields = Buffer.concat(
    ['org', 'device', '3'].map((text) =>
      Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]),
    ),
  );
  t.equal(made, `sk1.${createHmac('sha256', key).update(fields).digest('base64url')}`);
  t.match(made, /^sk1\.[\w-]{43}$/);
  t.not(deviceApiKey(key, 'orgd', 'evice', 3), made, 'fields do not run into one another');
  t.not(deviceApiKey(key, 'org', 'device', 4), made);
  t.equal(isDeviceApiKey(made, ['sk1.other', made]), true);
  t.equal(isDeviceApiKey(`${made.slice(0, -1)}!`, [made]), false);
  t.equal(isDeviceApiKey('', []), false);
  t.equal(constantTimeEqual('ä', 'a'), false);
});

t.test('XSRF tokens belong to one session', async (t) => {
  const key = purposeKey(SECRET, PURPOSES.xsrf);
  t.equal(isXsrfToken(key, 'jti-1', xsrfToken(key, 'jti-1')), true);
  t.equal(isXsrfToken(key, 'jti-2', xsrfToken(key, 'jti-1')), false);
  t.equal(isXsrfToken(key, 'jti-1', ''), false);
});

t.test('the log key comes from the master secret alone', async (t) => {
  const key = logKeyOf(SECRET);
  t.equal(key.publicKey.length, 32);
  t.strictSame(key.logId, logIdOf(key.publicKey));
  t.strictSame(logKeyOf(SECRET).publicKey, key.publicKey);
  t.notSame(logKeyOf(`${SECRET}!`).publicKey, key.publicKey);
  const message = Buffer.from('checkpoint');
  const x = Buffer.from(key.publicKey).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  t.equal(verify(null, message, publicKey, key.sign(message)), true);
});

t.test('a store refuses another log key than its first', async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await confirmLogKey(store, logKeyOf(SECRET));
  await confirmLogKey(store, logKeyOf(SECRET));
  const changed = confirmLogKey(store, logKeyOf('x'.repeat(32)));
  await t.rejects(changed, LogKeyChangedError);
  await t.rejects(changed, { code: 'LOG_KEY_CHANGED', message: /start with the master secret/ });
});

t.test('the master secret is made once and kept readable by its owner only', async (t) => {
  const dir = join(t.testdir(), 'new', 'folder');
  const made = await loadMasterSecret(undefined, dir);
  t.ok(made.length >= 32);
  t.equal(await loadMasterSecret(undefined, dir), made);
  t.equal((await stat(join(dir, 'master-secret'))).mode & 0o777, 0o600);
  t.strictSame(await readdir(dir), ['master-secret'], 'nothing is left beside it');
  t.equal(await loadMasterSecret(SECRET, dir), SECRET, 'the configured one comes first');
});

t.test('of many that make it at once all get the same', async (t) => {
  const dir = t.testdir();
  const all = await Promise.all(Array.from({ length: 20 }, () => loadMasterSecret(undefined, dir)));
  t.equal(new Set(all).size, 1);
  t.equal((await readFile(join(dir, 'master-secret'), 'utf8')).trim(), all[0]);
});

t.test('a folder that was used before gets no other secret in place of a lost one', async (t) => {
  const dir = t.testdir({});
  await t.rejects(loadMasterSecret(undefined, dir, false), { code: 'CONFIG', message: /put it back/ });
  t.strictSame(await readdir(dir), []);
  t.equal(await loadMasterSecret(SECRET, dir, false), SECRET);
});

t.test('a cut secret is refused with what to do', async (t) => {
  const dir = t.testdir({});
  await writeFile(join(dir, 'master-secret'), 'short\n');
  await chmod(join(dir, 'master-secret'), 0o600);
  await t.rejects(loadMasterSecret(undefined, dir), { code: 'CONFIG', message: /restore it from a backup/ });
});
