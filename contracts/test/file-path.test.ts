/** Tests where a file is, and which replaced keys still work. */
import t from 'tap';
import { isWindowsPath, pathOn } from '../src/file-path.ts';
import { lastingKeys } from '../src/replaced-keys.ts';

t.test('a relative path starts at the working directory', async (t) => {
  t.equal(pathOn('/srv', 'app.log'), '/srv/app.log');
  t.equal(pathOn('/srv/', 'app.log'), '/srv/app.log');
  t.equal(pathOn('/', 'app.log'), '/app.log');
  t.equal(pathOn('', 'app.log'), 'app.log');
  t.equal(pathOn('/srv\\', 'app.log'), '/srv\\/app.log', 'a backslash is part of a name');
  t.equal(pathOn('/srv', '\\app.log'), '/srv/\\app.log');
});

t.test('on Windows it does so with a backslash', async (t) => {
  t.equal(pathOn('C:\\srv', 'app.log'), 'C:\\srv\\app.log');
  t.equal(pathOn('C:\\srv\\', 'app.log'), 'C:\\srv\\app.log');
  t.equal(pathOn('c:/srv/', 'app.log'), 'c:/srv/app.log');
  t.equal(pathOn('\\\\share\\srv', 'app.log'), '\\\\share\\srv\\app.log');
});

t.test('an absolute path is whole', async (t) => {
  t.equal(pathOn('/srv', '/var/app.log'), '/var/app.log');
  t.equal(pathOn('/srv', 'D:\\app.log'), 'D:\\app.log');
  t.equal(pathOn('C:\\srv', '/app.log'), '/app.log');
  t.equal(pathOn('C:\\srv', '\\app.log'), '\\app.log');
  t.equal(pathOn('C:\\srv', '\\\\share\\app.log'), '\\\\share\\app.log');
});

t.test('absolute Windows paths have a drive or a share', async (t) => {
  for (const path of ['C:\\', 'z:/x', '\\\\share\\x']) t.ok(isWindowsPath(path), path);
  for (const path of ['C:', 'C:x', '\\x', '/C:\\x', '1:\\x', 'xC:\\', '/\\\\share'])
    t.notOk(isWindowsPath(path), path);
});

t.test('replaced keys work until their time, the newest first', async (t) => {
  const key = (validUntil: number) => ({ version: 1, validUntil });
  t.strictSame(lastingKeys(null, undefined, 5), []);
  t.strictSame(lastingKeys(null, [key(9)], 5), [], 'without a previous one there are no earlier ones');
  t.strictSame(lastingKeys(key(9), undefined, 5), [key(9)]);
  t.strictSame(lastingKeys(key(9), [key(7), key(5), key(8)], 5), [key(9), key(7), key(8)]);
  t.strictSame(lastingKeys(key(5), [key(6)], 5), [key(6)]);
});
