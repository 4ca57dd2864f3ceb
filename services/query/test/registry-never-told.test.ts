/** Which types of a notification rule no notice can have: given the other conditions of the rule, then. */
import t from 'tap';
import { NOTICE_TYPES, type NotificationRuleFields } from '@sentinel-node/contracts';
import { neverTold } from '../src/registry/never-told.ts';

type When = NotificationRuleFields['when'];

const when = (more: Partial<When> = {}): When => ({
  ...{ types: NOTICE_TYPES.filter((type) => type !== 'test'), alertTypes: [], severity: 'info' },
  ...{ deviceIds: [], fileIds: [], categories: [] },
  ...more,
});
const GOOD_NEWS = [
  'alert.handled',
  'device.returned',
  'file.returned',
  'chain.reset',
  'key.rotated',
  'funds.restored',
  'anchoring.resumed',
];
const OF_NO_DEVICE = [
  'evidence.failed',
  'funds.low',
  'funds.restored',
  'anchoring.stopped',
  'anchoring.resumed',
];
const told = (given: When, isLeft?: boolean) => {
  const never = neverTold(given, isLeft);
  return given.types.filter((type) => !never.includes(type));
};
const same = (found: readonly string[], wanted: readonly string[]) =>
  [[...found].sort(), [...wanted].sort()] as const;

t.test('without other conditions each type can be told, and a test goes to its caller only', async (t) => {
  t.strictSame(neverTold(when()), []);
  t.strictSame(neverTold(when({ types: ['test', 'alert.raised'] })), ['test']);
});

t.test('the severity excludes what is never as severe', async (t) => {
  t.strictSame(...same(neverTold(when({ severity: 'warning' })), GOOD_NEWS));
  t.strictSame(...same(neverTold(when({ severity: 'critical' })), [...GOOD_NEWS, 'funds.low']));
});

t.test('what is critical by its category is not when the rule names others only', async (t) => {
  const critical = (categories: When['categories']) => told(when({ severity: 'critical', categories }));
  t.strictSame(critical(['STANDARD', 'ADVANCED']), ['evidence.failed', 'anchoring.stopped']);
  t.strictSame(critical(['STANDARD', 'MISSION_CRITICAL']), critical([]));
  const warning = neverTold(when({ severity: 'warning', categories: ['STANDARD'] }));
  t.strictSame(...same(warning, GOOD_NEWS), 'a warning they are in any category');
});

t.test('a rule of files alone hears of no device', async (t) => {
  const never = ['device.lost', 'device.returned', 'device.deleted', 'key.rotated'];
  t.strictSame(...same(neverTold(when({ fileIds: ['f'] })), never));
  t.strictSame(neverTold(when({ fileIds: ['f'], deviceIds: ['d'] })), []);
  t.strictSame(neverTold(when({ fileIds: ['f'], labels: ['site:graz'] })), []);
  t.strictSame(neverTold(when({ deviceIds: ['d'] })), []);
});

t.test('a rule whose devices and files are all gone hears of what is of no device', async (t) => {
  t.strictSame(...same(told(when({ deviceIds: ['gone'] }), false), OF_NO_DEVICE));
  t.strictSame(...same(told(when({ fileIds: ['gone'] }), false), OF_NO_DEVICE));
  t.strictSame(neverTold(when({ deviceIds: ['gone'], labels: ['site:graz'] }), false), [], 'labels stay');
});
