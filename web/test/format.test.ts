import t from 'tap';
import { ruleSummary } from '../src/notifications/notification-words.ts';
import { everyWord, exactDuration, typedEvery } from '../src/format.ts';

t.test('a duration is exact, in the units that people use', async (t) => {
  t.equal(exactDuration(1), '1 s');
  t.equal(exactDuration(59), '59 s');
  t.equal(exactDuration(90), '1 min 30 s');
  t.equal(exactDuration(3_600), '1 h');
  t.equal(exactDuration(86_400), '1 day');
  t.equal(exactDuration(172_801), '2 days 1 s');
  t.equal(exactDuration(90_061), '1 day 1 h 1 min 1 s');
});

t.test('an interval of one unit is named by the unit alone', async (t) => {
  t.equal(everyWord(1), 'Every second');
  t.equal(everyWord(60), 'Every minute');
  t.equal(everyWord(120), 'Every 2 min');
  t.equal(everyWord(3_600), 'Every hour');
  t.equal(everyWord(86_400), 'Every day');
});

t.test('nothing is said of a typed text that is no number of seconds', async (t) => {
  t.equal(typedEvery(' 90 '), 'Every 1 min 30 s');
  for (const text of ['', '0', '1.5', '-1', '1e3', 'x', '1234567890'])
    t.equal(typedEvery(text), undefined, text);
});

t.test('two rules that tell of the same notices differ in the list', (t) => {
  const when: Parameters<typeof ruleSummary>[0]['when'] = {
    ...{ types: ['alert.raised'], alertTypes: [], deviceIds: [], fileIds: [], categories: [] },
    severity: 'info',
  };
  const id = '00000000-0000-4000-8000-000000000001';
  t.equal(ruleSummary({ when }), 'A new alert');
  t.equal(
    ruleSummary({ when: { ...when, types: ['alert.raised', 'device.lost'] } }),
    'A new alert, a device is lost',
  );
  t.equal(
    ruleSummary({ when: { ...when, severity: 'critical', categories: ['STANDARD', 'MISSION_CRITICAL'] } }),
    'A new alert: critical only, standard, mission critical',
  );
  t.equal(
    ruleSummary({
      when: {
        ...when,
        alertTypes: ['HASH_BREACH'],
        deviceIds: [id],
        fileIds: [id, id],
        labels: ['site:graz'],
      },
    }),
    'A new alert: 1 type of alert, 1 device, 2 files, site:graz',
  );
  t.end();
});
