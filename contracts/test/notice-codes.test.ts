import t from 'tap';
import { KEY_ENDED, noticeCode } from '../src/notice-codes.ts';

t.test('the code of a note', async (t) => {
  t.equal(noticeCode(JSON.stringify({ code: KEY_ENDED })), KEY_ENDED);
});

for (const note of [
  '',
  'a note of a person',
  '{"code":"KEY_ENDED"',
  'null',
  '"KEY_ENDED"',
  '{}',
  '{"code":1}',
])
  t.test(`no code in the note ${JSON.stringify(note)}`, async (t) => {
    t.equal(noticeCode(note), undefined);
  });
