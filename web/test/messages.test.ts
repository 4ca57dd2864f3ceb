/** What a person reads of a failed call. */
import t from 'tap';
import type { Problem } from '@sentinel-node/contracts';
import { ApiError } from '../src/api/errors.ts';
import { messageOf } from '../src/errors.ts';
import { invalid, problem } from './mock-answers.ts';

const shown = ({ body }: { body: unknown }): string => {
  const answer = body as Problem;
  return messageOf(new ApiError(answer.code as ApiError['code'], answer.status, 'refused', answer));
};

t.test('a refusal of what was sent says where and why', async (t) => {
  const line = 'line 713 is no SHA-256 (64 hex digits) with a path';
  for (const [path, message, text] of [
    ['/end', 'lies in the past', 'End: lies in the past.'],
    ['/checksums', line, `Checksums: ${line}.`],
    ['/quietHours/to', 'must differ from the beginning', 'Quiet hours to: must differ from the beginning.'],
    ['/files/0/path', 'is required', 'Files 1 path: is required.'],
    ['', 'needs either entries or checksums', 'Needs either entries or checksums.'],
  ] as const)
    t.equal(shown(invalid({ path, message })), `The request is not valid. ${text}`);
});

t.test('of several reasons the first is named, and the others are counted', async (t) => {
  const others = [
    { path: '/routingKey', message: 'is required' },
    { path: '/name', message: 'is required' },
  ];
  const text = 'The request is not valid. Url: contains a fragment (and 2 more).';
  t.equal(shown(invalid({ path: '/url', message: 'contains a fragment' }, ...others)), text);
});

t.test('without reasons the detail is shown, else the title', async (t) => {
  t.equal(shown(invalid()), 'The request is not valid');
  t.equal(shown(problem('VALIDATION_FAILED', 'The receipt was not signed.')), 'The receipt was not signed.');
  t.equal(shown(problem('LIMIT_REACHED', 'At most 20.')), 'At most 20.');
});
