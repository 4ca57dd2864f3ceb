/** After which failures a page reads again, and after which it says what the refusal means. */
import t from 'tap';
import { ApiError } from '../src/api/errors.ts';
import { isPassing } from '../src/state/unread.ts';

t.test('another try is made after what can pass, and not after a refusal', (t) => {
  const failed = (status: number) => new ApiError('UNKNOWN', status, 'failed');
  for (const status of [0, 408, 429, 500, 502, 503, 504]) t.ok(isPassing(failed(status)), String(status));
  for (const status of [400, 401, 403, 404, 409, 413, 422])
    t.notOk(isPassing(failed(status)), String(status));
  t.ok(isPassing(new TypeError('no answer')));
  t.notOk(isPassing(null), 'nothing failed');
  t.end();
});
