/** Tests what can be seen of a text, and that each name has something to see. */
import t from 'tap';
import { Check } from 'typebox/value';
import * as contracts from '../src/index.ts';

const { isBlank, isReadable } = contracts;

/** Nothing of these is seen, alone or together. */
const UNSEEN = [
  '',
  ' ',
  '\t\n',
  '\u00a0',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u2800',
  '\u3164',
  '\u202e',
  '\u0001',
];
const SEEN = [
  'a',
  '-',
  '0',
  'é',
  '中',
  'שלום',
  'مرحبا',
  '👩‍👩‍👧',
  '\u{1fae8}',
  '\u{1f3f4}\u{e0067}\u{e007f}',
  'e\u0301',
  '\u200bx',
  '\u2800.',
];

t.test('a text of nothing but signs that are not seen is blank', async (t) => {
  for (const text of [...UNSEEN, UNSEEN.join('')]) t.ok(isBlank(text), JSON.stringify(text));
  for (const text of SEEN) t.notOk(isBlank(text), JSON.stringify(text));
});

t.test(
  'signs beyond the Basic Multilingual Plane that are not seen are blank, and shown by their spelling',
  async (t) => {
    for (const text of ['\u{e0041}\u{e007f}', ' \u{e0100}', '\u{1d173}', '\u200b\u{1bca0}'])
      t.ok(isBlank(text), JSON.stringify(text));
    t.equal(contracts.visible('\u{e0041}'), String.raw`\udb40\udc41`);
    t.equal(contracts.visible('a\u{e0041}'), 'a\u{e0041}');
  },
);

t.test('a name, a reason or a comment needs a sign that is seen', async (t) => {
  const { NameSchema, ReasonSchema } = contracts;
  const device = { healthInterval: 60, path: '/srv', category: 'STANDARD' };
  const fits: Record<string, (text: string) => boolean> = {
    name: (text) => Check(NameSchema, text),
    reason: (text) => Check(ReasonSchema, text),
    comment: (text) => Check(contracts.CommentSchema, { text }),
    note: (note) => Check(contracts.TurnOffAlertSchema, { note, status: 'DEACTIVATED' }),
    review: (note) => Check(contracts.ReviewSchema, { note }),
    'saved view': (name) => Check(contracts.SavedViewSchema, { name, query: '' }),
    'payment id': (stripeId) => Check(contracts.UpdateOrganizationSchema, { stripeId }),
    'name pattern': (namePattern) =>
      Check(contracts.CreateEnrolmentSchema, {
        name: 'Web',
        namePattern,
        template: { ...device, files: [] },
      }),
  };
  for (const [what, fit] of Object.entries(fits)) {
    for (const text of UNSEEN) t.notOk(fit(text), `${what} ${JSON.stringify(text)}`);
    for (const text of SEEN) t.ok(fit(text), `${what} ${JSON.stringify(text)}`);
  }
});

t.test(
  'a path is not blank and holds no NUL, and one that an earlier version took can be read',
  async (t) => {
    for (const path of ['', ' \n', '\0', 'a\0', '\0a', ' \0 ', 'a\nb\0\nc'])
      t.notOk(Check(contracts.PathSchema, path), JSON.stringify(path));
    for (const path of ['a', ' a', 'a\nb', '\u200b', '\u0001', `${' '.repeat(4_000)}a`])
      t.ok(Check(contracts.PathSchema, path), JSON.stringify(path).slice(0, 20));
    t.ok(isReadable(contracts.PathSchema, 'a\0'));
  },
);

t.test('a name that an earlier version took can be read', async (t) => {
  for (const text of UNSEEN.filter((text) => text.trim() !== '')) {
    const view = { name: text, query: '' };
    t.ok(isReadable(contracts.SavedViewSchema, view), JSON.stringify(text));
  }
});

t.test('a shown text spells the signs that turn it, and all signs where none is seen', async (t) => {
  t.equal(contracts.visible('web-\u202egnp.exe'), String.raw`web-\u202egnp.exe`);
  t.equal(contracts.visible('\u2066a\u2069'), String.raw`\u2066a\u2069`);
  t.equal(contracts.visible('\u200b \u00ad'), String.raw`\u200b \u00ad`);
  for (const text of ['', ' ', '\n', ...SEEN]) t.equal(contracts.visible(text), text);
});
