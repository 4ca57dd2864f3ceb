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
const SEEN = ['a', '-', '0', 'é', '中', 'שלום', 'مرحبا', '👩‍👩‍👧', '\u{1fae8}', 'e\u0301', '\u200bx', '\u2800.'];

t.test('a text of nothing but signs that are not seen is blank', async (t) => {
  for (const text of [...UNSEEN, UNSEEN.join('')]) t.ok(isBlank(text), JSON.stringify(text));
  for (const text of SEEN) t.notOk(isBlank(text), JSON.stringify(text));
});

t.test('a name, a reason or a comment needs a sign that is seen', async (t) => {
  const { NameSchema, ReasonSchema } = contracts;
  const device = { healthInterval: 60, path: '/srv', category: 'STANDARD' };
  const fits: Record<string, (text: string) => boolean> = {
    name: (text) => Check(NameSchema, text),
    reason: (text) => Check(ReasonSchema, text),
    comment: (text) => Check(contracts.CommentSchema, { text }),
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
