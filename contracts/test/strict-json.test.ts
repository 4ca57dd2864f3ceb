import t from 'tap';
import { Type } from 'typebox';
import { utf8 } from '../src/bytes/bytes.ts';
import { claimedFormat, readStrictJson } from '../src/bytes/strict-json.ts';

const LIMITS = { documentBytes: 200, nesting: 3 };
const Schema = Type.Object(
  {
    name: Type.String(),
    list: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }, { additionalProperties: false }))),
    few: Type.Optional(Type.Array(Type.String(), { maxItems: 9 })),
    part: Type.Optional(
      Type.Union([Type.Null(), Type.Object({ deep: Type.Integer() }, { additionalProperties: false })]),
    ),
  },
  { additionalProperties: false },
);
const read = (text: string, limits = LIMITS) => readStrictJson(utf8(text), Schema, limits);

t.test('what fits is read, with blanks between tokens', async (t) => {
  const value = { name: 'a b\t', list: [{ n: 1 }, { n: 2 }] };
  t.same(read(JSON.stringify(value)), { value });
  t.same(read(`\r\n${JSON.stringify(value, null, '\t')} `), { value });
  t.same(
    read('{"name":"\\" {[ , \\\\"}'),
    { value: { name: '" {[ , \\' } },
    'blanks and brackets in texts stay',
  );
});

t.test('one reading only', async (t) => {
  for (const text of [
    '{"name":"a","name":"b"}',
    '{"name":"a","n\\u0061me":"a"}',
    '{"n\\u0061me":"a","name":"b"}',
    '{"name":"a","list":[{"n":1.0}]}',
    '{"name":"a","list":[{"n":1e0}]}',
    '{"name":"a","list":[{"n":-0}]}',
    '{"name":"a","list":[{"n":9007199254740993}]}',
  ])
    t.same(read(text), { problem: 'AMBIGUOUS_JSON' }, text);
});

t.test('escapes in texts are free, as other programs write them', async (t) => {
  for (const [text, name] of [
    ['{"name":"\\u0061\\u2014"}', 'a—'],
    ['{"name":"a\\/b"}', 'a/b'],
    ['{"name":"a—\\u000A\\t"}', 'a—\n\t'],
    ['{"name":"\\ud83d\\uDE00"}', '😀'],
    ['{ "n\\u0061me" : "\\u0022 \\\\ [" }', '" \\ ['],
  ] as const)
    t.same(read(text), { value: { name } }, text);
  for (const text of ['{"name":"\\x61"}', '{"name":"\\u00"}', '{"name":"a\\', '{"name":"\\u0061\n"}'])
    t.same(read(text), { problem: 'NOT_JSON' }, text);
});

t.test('what is no JSON', async (t) => {
  for (const text of [
    '',
    ' ',
    '{',
    '{"name":"a"',
    '{"name":"a"}}',
    'name',
    '{"name":"a\\',
    '{"name":"a"} x',
    '{"name":"a"}{"name":"a"}',
    '{"name":"a","list":[{"n":1 2}]}',
    '{"name":"a","part":n ull}',
    '{"name":"a","list":[{"n":- 1}]}',
  ])
    t.same(read(text), { problem: 'NOT_JSON' }, text);
  t.same(readStrictJson(Uint8Array.of(0x22, 0xff, 0x22), Schema, LIMITS), { problem: 'NOT_JSON' });
  t.same(read('\ufeff{"name":"a"}'), { problem: 'NOT_JSON' }, 'a byte order mark is no blank');
});

t.test('limits are checked before anything is parsed', async (t) => {
  const filled = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
  t.match(read(filled(200)), { value: {} });
  t.same(read(filled(201)), { problem: 'TOO_LARGE' });
  t.match(read('{"name":"a","list":[{"n":1}]}'), { value: {} }, 'three in one another');
  t.same(read('{"name":"a","list":[{"n":[1]}]}'), { problem: 'UNKNOWN_FORM' }, 'four');
  t.match(read('{"name":"[[[[{{{{"}'), { value: {} }, 'not in a text');
  t.match(read('{"name":"a","list":[{"n":1},{"n":2},{"n":3},{"n":4}]}'), { value: {} }, 'beside one another');
});

t.test('the first member that does not fit is named', async (t) => {
  const member = (text: string) => (read(text) as { member?: string }).member;
  t.equal(member('{}'), '/name');
  t.equal(member('{"name":1}'), '/name');
  t.equal(member('{"name":"a","more/of~it":1}'), '/more~1of~0it');
  t.equal(member('{"name":"a","list":[{"n":1},{"n":"2"}]}'), '/list/1/n');
  t.equal(member('{"name":"a","part":{"deep":"x"}}'), '/part/deep', 'not the part that may be null');
  t.equal(member('{"name":"a","__proto__":{"x":1}}'), '/__proto__');
  t.equal(member('[]'), '');
  t.equal(member('{"more":1,"other":1}'), '/name', 'what is missing before what is unknown');
  t.equal(member('{"name":1,"more":1,"other":1}'), '/more');
  t.equal(
    member(`{"name":"a","few":[${'0,'.repeat(9)}0]}`),
    '/few',
    'a list that is too long, not its items',
  );
  t.equal(
    member(`{"name":"a","few":[${'"x",'.repeat(8)}0]}`),
    '/few/8',
    'an item of the longest list that there may be',
  );
});

t.test('what a document claims to be is read without reading it strictly', async (t) => {
  const claimed = (text: string) => claimedFormat(utf8(text));
  t.equal(claimed('{"format":"a proof"}'), 'a proof');
  t.equal(
    claimed('{"proof":{"format" \n:\t"a\\u0020pr\\"oof"},"format":"other"'),
    'a pr"oof',
    'the first, wherever it is',
  );
  t.equal(claimed(`{"format":"${'x'.repeat(256)}"}`), 'x'.repeat(256));
  for (const none of [
    '',
    '{}',
    '{"format":7}',
    '{"format":""}',
    '{"format":"a\\x"}',
    `{"format":"${'x'.repeat(257)}"}`,
  ])
    t.equal(claimed(none), undefined, none.slice(0, 20));
});
