/** What forms of several addresses keep in one tab. */
import { getDefaultStore } from 'jotai';
import t from 'tap';
import {
  dropForm,
  dropForms,
  hasKeptForms,
  keepForm,
  keptForm,
  noteNotSaved,
} from '../src/state/kept-forms.ts';
import { sessionAtom } from '../src/state/session.ts';

const storage = new Map<string, string>();
const sessionStorage = {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, text: string) => void storage.set(key, text),
  removeItem: (key: string) => void storage.delete(key),
};
const location = { pathname: '/add-device', search: '' };
const globals = { sessionStorage, location };
Object.assign(globalThis, globals);
t.teardown(() => {
  for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  getDefaultStore().set(sessionAtom, { status: 'restoring' });
});

const person = {
  success: true,
  name: 'Ada',
  userRole: 'ADMIN',
  orgId: 'o',
  userId: 'u',
  token: 't',
} as const;
const signIn = (email: string): void =>
  getDefaultStore().set(sessionAtom, { status: 'in', user: { ...person, email } });

const keptAt = (pathname: string, name: string): unknown => {
  location.pathname = pathname;
  return keptForm(name);
};

t.beforeEach(() => {
  dropForms();
  signIn('ada@example.org');
});

t.test('a form is kept beside those of other addresses', (t) => {
  keepForm('device', 'a device', '/add-device');
  keepForm('user', 'a user', '/define-user');
  keepForm('files', 'its files', '/add-device');
  t.equal(keptAt('/define-user', 'user'), 'a user');
  t.equal(keptAt('/add-device', 'device'), 'a device');
  t.equal(keptAt('/add-device', 'files'), 'its files');
  t.equal(keptAt('/add-device', 'user'), null, 'of another address');
  dropForm('device');
  t.equal(keptAt('/add-device', 'device'), null);
  t.equal(keptAt('/add-device', 'files'), 'its files');
  dropForm('files');
  t.ok(hasKeptForms());
  t.equal(keptAt('/define-user', 'user'), 'a user');
  dropForm('user');
  t.notOk(hasKeptForms());
  t.end();
});

t.test('what another person keeps removes what was there', (t) => {
  keepForm('device', 'a device', '/add-device');
  signIn('jonas@example.org');
  t.equal(keptAt('/add-device', 'device'), null);
  keepForm('user', 'a user', '/define-user');
  signIn('ada@example.org');
  t.equal(keptAt('/add-device', 'device'), null);
  t.equal(keptAt('/define-user', 'user'), null);
  t.end();
});

t.test('the oldest addresses go first', (t) => {
  for (let n = 0; n < 25; n++) keepForm('device', n, `/edit-device/${n}`);
  keepForm('device', 'again', '/edit-device/7');
  t.equal(keptAt('/edit-device/4', 'device'), null);
  t.equal(keptAt('/edit-device/6', 'device'), 6);
  t.equal(keptAt('/edit-device/7', 'device'), 'again');
  t.equal(keptAt('/edit-device/24', 'device'), 24);
  t.end();
});

t.test('what is too long for the storage is kept until the page is left, beside the rest', (t) => {
  const long = 'a'.repeat(1_999_000);
  keepForm('device', 'a device', '/add-device');
  keepForm('files', long, '/add-files');
  t.equal(keptAt('/add-device', 'device'), 'a device');
  t.equal(keptAt('/add-files', 'files'), long);
  const tooLong = long + long;
  keepForm('many', tooLong, '/add-many');
  t.equal(keptAt('/add-many', 'many'), tooLong);
  t.equal(keptAt('/add-device', 'device'), 'a device');
  const stored = [...storage.values()].reduce((sum, { length }) => sum + length, 0);
  t.ok(stored <= 2_000_000, `${stored} characters are stored`);
  t.end();
});

t.test('an address of which nothing is kept is no matter', (t) => {
  keepForm('device', 'a device', '/add-device');
  noteNotSaved('/define-user');
  t.equal(keptAt('/add-device', 'device'), 'a device');
  t.end();
});
