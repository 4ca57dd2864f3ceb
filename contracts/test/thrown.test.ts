import t from 'tap';
import { codeOf, keysOf, messageOf, omit } from '../src/index.ts';

t.test('what was thrown is read whatever it is', async (t) => {
  t.equal(messageOf(new Error('no room')), 'no room');
  t.equal(messageOf({ message: 'of another realm' }), 'of another realm');
  t.equal(messageOf('a text'), 'a text');
  t.equal(messageOf(undefined), 'undefined');
  t.equal(codeOf(Object.assign(new Error('gone'), { code: 'ENOENT' })), 'ENOENT');
  for (const none of [new Error('no code'), { code: 404 }, null, undefined, 'ENOENT'])
    t.equal(codeOf(none), undefined);
});

t.test('members are named and left out', async (t) => {
  const given = { a: 1, b: undefined, c: 'x' };
  t.strictSame(keysOf(given), ['a', 'b', 'c']);
  t.strictSame(omit(given, 'b', 'a'), { c: 'x' });
  t.strictSame(given, { a: 1, b: undefined, c: 'x' }, 'the given one stays as it is');
});
