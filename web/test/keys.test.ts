import t from 'tap';
import {
  ariaKeys,
  keyName,
  NOTHING_PENDING,
  nextKeyState,
  SEQUENCE_MS,
  shownKeys,
  type KeyPress,
} from '../src/keys/keys.ts';
import { allShortcuts, isSingleKey, type Shortcut } from '../src/keys/table.ts';

const pressed = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

t.test('a key has one name, whatever the keyboard', async (t) => {
  t.equal(keyName(pressed('j')), 'j');
  t.equal(keyName(pressed('J')), 'j', 'caps lock');
  t.equal(keyName(pressed('X', { shiftKey: true })), 'X');
  t.equal(keyName(pressed('о', { code: 'KeyJ' })), 'j', 'Cyrillic letters');
  t.equal(keyName(pressed('/', { code: 'Digit7', shiftKey: true })), '/', 'a German keyboard');
  t.equal(keyName(pressed('?', { code: 'Slash', shiftKey: true })), '?');
  t.equal(keyName(pressed('/', { ctrlKey: true, altKey: true })), '/', 'behind AltGr');
  t.equal(keyName(pressed('k', { ctrlKey: true })), 'Mod+k');
  t.equal(keyName(pressed('k', { metaKey: true })), 'Mod+k');
  t.equal(keyName(pressed('k', { ctrlKey: true, shiftKey: true })), 'Mod+K', 'another one than Ctrl K');
  t.equal(keyName(pressed('d', { altKey: true })), null);
  t.equal(keyName(pressed('/', { ctrlKey: true })), null);
});

const idOf = (shortcut: Shortcut | null): string | null => shortcut?.id ?? null;

t.test('keys one after another are one shortcut, within a time', async (t) => {
  const begun = nextKeyState(NOTHING_PENDING, 'g', 1_000, allShortcuts);
  t.equal(begun.shortcut, null);
  const soon = nextKeyState(begun.pending, 'a', 1_000 + SEQUENCE_MS, allShortcuts);
  t.equal(idOf(soon.shortcut), 'go-alerts');
  t.same(soon.pending, NOTHING_PENDING);
  t.equal(
    idOf(nextKeyState(begun.pending, 'd', 1_100, allShortcuts).shortcut),
    'go-dashboard',
    'not the d alone',
  );
  t.equal(
    idOf(nextKeyState(begun.pending, 'd', 1_001 + SEQUENCE_MS, allShortcuts).shortcut),
    'dismiss',
    'too late',
  );
  t.equal(
    idOf(nextKeyState(begun.pending, 'j', 1_100, allShortcuts).shortcut),
    'next',
    'no such pair: it begins anew',
  );
  t.same(nextKeyState(begun.pending, 'q', 1_100, allShortcuts), { shortcut: null, pending: NOTHING_PENDING });
});

t.test('no shortcut hides another', async (t) => {
  const begins = (one: Shortcut, other: Shortcut) =>
    one.keys.every((key, index) => other.keys[index] === key);
  const hidden = allShortcuts.filter((one) =>
    allShortcuts.some((other) => other !== one && begins(other, one)),
  );
  t.same(hidden, []);
  t.equal(new Set(allShortcuts.map(({ id }) => id)).size, allShortcuts.length);
  t.same(
    allShortcuts.filter((one) => !isSingleKey(one)).map(({ id }) => id),
    ['palette', 'close', 'open'],
    'what stays when single keys are off',
  );
});

t.test('keys are shown to people and told to assistive technology', async (t) => {
  const of = (id: string): Shortcut => {
    const found = allShortcuts.find((one) => one.id === id);
    if (found === undefined) throw new Error(id);
    return found;
  };
  t.same(shownKeys(of('palette'), false), ['Ctrl', 'K']);
  t.same(shownKeys(of('palette'), true), ['⌘', 'K']);
  t.same(shownKeys(of('range'), false), ['Shift', 'X']);
  t.same(shownKeys(of('go-alerts'), false), ['G', 'A']);
  t.same(shownKeys(of('close'), false), ['Esc']);
  t.equal(ariaKeys(of('palette'), false), 'Control+K');
  t.equal(ariaKeys(of('palette'), true), 'Meta+K');
  t.equal(ariaKeys(of('range'), false), 'Shift+X');
  t.equal(ariaKeys(of('go-alerts'), false), undefined);
});
