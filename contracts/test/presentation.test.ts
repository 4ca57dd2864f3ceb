import t from 'tap';
import {
  ALERT_STATUSES,
  ALERT_TYPES,
  alertName,
  alertWords,
  EVENT_TYPES,
  eventName,
  eventWords,
  containsText,
  searchedTimes,
  shownDate,
  shownDateTime,
  statusWord,
} from '../src/index.ts';

t.test('every type and state has a name of its own', async (t) => {
  t.same(ALERT_TYPES.map((type) => alertName[type]).sort(), [
    'File missing',
    'Hash breach',
    'Hash breach in request',
    'Rolled file changed',
    'Unexpected change',
  ]);
  t.same(
    ALERT_STATUSES.map((status) => statusWord[status]),
    ['Active', 'Dismissed', 'Reset'],
  );
  t.equal(new Set(EVENT_TYPES.map(eventName)).size, EVENT_TYPES.length);
});

t.test('an event of an alert is named by the type and the present state of that alert', async (t) => {
  t.same(eventWords({ type: 'FILE_DECREASED' }), ['File got shorter']);
  t.same(eventWords({ type: 'ALERT' }), ['Alert']);
  t.same(eventWords({ type: 'ALERT', alert: { type: 'EMPTY', status: 'RESOLVED' } }), [
    'File missing Dismissed',
    'Alert',
  ]);
  const commented = { type: 'COMMENT_ALERT', alert: { type: 'EMPTY', status: 'ACTIVE' } } as const;
  t.same(eventWords(commented), ['Comment on an alert'], 'what is said of an alert is no alert');
  t.same(alertWords({ type: 'HASH_BREACH', status: 'DEACTIVATED' }), ['Hash breach', 'Reset']);
});

t.test('times are those of the zone, with plain blanks', async (t) => {
  const at = '2026-11-21T23:05:09.000Z';
  t.equal(shownDate(at, 'UTC'), 'Nov 21, 2026');
  t.equal(shownDate(at, 'Asia/Tokyo'), 'Nov 22, 2026');
  t.equal(shownDateTime(at, 'UTC'), 'Nov 21, 2026, 11:05:09 PM');
  t.equal(shownDateTime(at, 'Asia/Tokyo'), 'Nov 22, 2026, 8:05:09 AM');
  t.match(shownDate(at), /^Nov 2[12], 2026$/);
  t.match(
    shownDateTime(at),
    /^Nov 2[12], 2026, \d{1,2}:05:09 [AP]M$|^Nov 2[12], 2026, \d{1,2}:\d\d:09 [AP]M$/,
  );
  t.throws(() => shownDate(at, 'Nowhere/Land'), RangeError);
  t.throws(() => shownDateTime(at, 'Nowhere/Land'), RangeError);
});

t.test('a search finds a time as panels and as tables show it', async (t) => {
  const times = searchedTimes('Nov 21, 2026, 11:05:09 PM');
  t.same(times, ['Nov 21, 2026, 11:05:09 PM', 'Nov 21, 2026 11:05:09 PM']);
  t.ok(containsText(times, '2026 11:05'));
  t.ok(containsText(times, '2026, 11:05'));
});

t.test('a search is any part of any text, whatever the case', async (t) => {
  t.ok(containsText(['Build Log', null], ' build l '));
  t.ok(containsText([null, 'x'], 'X'));
  t.notOk(containsText(['Build Log', null], 'accounts'));
  t.notOk(containsText([null], 'null'));
  t.notOk(containsText([], ''));
  t.ok(containsText(['any'], ''));
});
