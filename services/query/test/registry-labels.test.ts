/** Labels of devices and files, and how many replaced keys may be valid: given, when, then. */
import t from 'tap';
import { labelProblem, labelsOf } from '../src/registry/labels.ts';
import { tooManyReplaced } from '../src/registry/replaced-keys.ts';

t.test('labels are kept sorted, and absent when there are none', async (t) => {
  const given = ['site:graz', 'env:prod'];
  t.strictSame(labelsOf(given, undefined), { labels: ['env:prod', 'site:graz'] });
  t.strictSame(given, ['site:graz', 'env:prod'], 'the request stays as it is');
  t.strictSame(labelsOf([], { labels: ['env:prod'] }), {}, 'all are taken away');
  t.strictSame(labelsOf(undefined, { labels: ['env:prod'] }), { labels: ['env:prod'] }, 'not named: kept');
  t.strictSame(labelsOf(['env:test'], { labels: ['env:prod'] }), { labels: ['env:test'] });
  t.strictSame(labelsOf(undefined, undefined), {});
  t.strictSame(labelsOf(undefined, {}), {});
});

t.test('a key of a label stands once', async (t) => {
  t.equal(labelProblem({}), undefined);
  t.equal(labelProblem({ labels: ['env:prod', 'environment:prod'] }), undefined);
  const twice = { labels: ['site:graz', 'env:prod', 'env:test', 'site:linz'] };
  const errors = (path: string) => [{ path, message: 'the key env stands twice' }];
  t.match(labelProblem(twice), { kind: 'refused', errors: errors('/labels/2') });
  t.match(labelProblem(twice, '/files/3'), { kind: 'refused', errors: errors('/files/3/labels/2') });
});

t.test(
  'a fifth key beside the previous and the present one is refused, and the oldest is named',
  async (t) => {
    const lasting = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        validUntil: Date.UTC(2026, 10, 30 - n),
      })) as unknown as Parameters<typeof tooManyReplaced>[0];
    const refusal = (count: number) => tooManyReplaced(lasting(count), 'keys still work', 'Wait.');
    t.equal(refusal(0), undefined);
    t.equal(refusal(4), undefined);
    t.match(refusal(5), {
      ...{ kind: 'refused', code: 'LIMIT_REACHED' },
      detail: '5 keys still work, the oldest until 2026-11-26T00:00:00.000Z. Wait.',
    });
  },
);
