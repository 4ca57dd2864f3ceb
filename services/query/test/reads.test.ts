import t from 'tap';
import { csvLine, eventId, utf8 } from '@sentinel-node/contracts';
import { monthsBefore } from '../src/dashboard/health-since.ts';
import { contactInput, deviceStatus, fileContact, unwatchedSince } from '../src/devices/contact.ts';
import { idPrefixOf } from '../src/lists/page.ts';

const DEVICE = { enabled: true, healthInterval: 60 };
const NOW = 1_790_000_000_000;

t.test('a device is not active after three silent intervals', async (t) => {
  t.equal(deviceStatus(DEVICE, null, NOW), 'ACTIVE', 'never heard of');
  t.equal(deviceStatus(DEVICE, NOW - 179_999, NOW), 'ACTIVE');
  t.equal(deviceStatus(DEVICE, NOW - 180_000, NOW), 'NON_ACTIVE');
  t.equal(deviceStatus({ ...DEVICE, enabled: false }, NOW - 180_000, NOW), 'ACTIVE', 'not monitored');
});

t.test('a file is in contact, lost or waited for', async (t) => {
  const file = {
    enabled: true,
    monitoringFrequency: 'PROBE',
    interval: 300,
    creationDate: NOW - 1_000,
  } as const;
  const contact = (more: object) =>
    fileContact({
      device: DEVICE,
      file,
      deviceFirstContact: null,
      reportedAt: NOW,
      deviceLastContact: NOW,
      checkedAt: NOW,
      unwatchedAt: null,
      now: NOW,
      ...more,
    });
  t.equal(contact({}), 'OK');
  t.equal(contact({ checkedAt: NOW - 900_000 }), 'OK', 'three of its own intervals');
  t.equal(contact({ checkedAt: NOW - 900_001 }), 'LOST');
  t.equal(contact({ deviceLastContact: NOW - 180_000 }), 'LOST', 'its device is silent');
  const followed = { ...file, monitoringFrequency: 'FOLLOW' };
  t.equal(contact({ file: followed, checkedAt: NOW - 180_001 }), 'LOST', 'intervals of the device');
  t.equal(contact({ unwatchedAt: NOW }), 'LOST', 'the agent says that it does not look');
  t.equal(contact({ unwatchedAt: NOW, file: { ...file, enabled: false } }), 'OK', 'nobody waits for it');
  t.equal(contact({ checkedAt: null }), 'WAITING');
  t.equal(contact({ checkedAt: null, file: { ...file, creationDate: NOW - 900_001 } }), 'LOST');
  t.equal(contact({ checkedAt: null, deviceLastContact: null }), 'WAITING');
  t.equal(contact({ file: { ...file, enabled: false }, checkedAt: 1 }), 'OK', 'not monitored, not lost');
  t.equal(contact({ reportedAt: NOW - 10_800_000 }), 'OK', 'heartbeats carry it between hourly reports');
  t.equal(contact({ reportedAt: NOW - 10_800_001 }), 'LOST', 'but not without any report that is judged');
  const daily = { ...file, interval: 86_400 };
  t.equal(contact({ file: daily, reportedAt: NOW - 10_800_001 }), 'OK', 'its reports are rarer');
  const on = { reportedAt: 1, file: { ...file, enabledAt: NOW - 10_800_000 } };
  t.equal(contact(on), 'OK', 'there was no report while monitoring was off');
  t.equal(contact({ ...on, checkedAt: NOW + 1, now: NOW + 1 }), 'LOST');
  const switched = { checkedAt: 1, device: { ...DEVICE, enabledAt: NOW - 900_000 } };
  t.equal(contact(switched), 'WAITING', 'it could not be checked while the device was switched off');
  t.equal(contact({ ...switched, now: NOW + 1 }), 'LOST');
  const shortly = { file: { ...file, enabledAt: NOW - 1 } };
  t.equal(contact({ ...shortly, checkedAt: 1 }), 'WAITING', 'a check of long ago shows nothing');
  t.equal(contact({ ...shortly, checkedAt: NOW - 900_000 }), 'OK', 'one that is not too old still counts');
  t.equal(contact({ ...shortly, checkedAt: NOW - 900_001 }), 'WAITING');
  t.equal(contact({ file: { ...shortly.file, enabled: false }, checkedAt: 1 }), 'OK', 'not monitored');
});

t.test('a file with another path is waited for until a report of that path is judged', async (t) => {
  const moved = { at: NOW - 60_000, version: 7 };
  const file = {
    id: 'f',
    enabled: true,
    monitoringFrequency: 'PROBE',
    interval: 300,
    creationDate: 1,
  } as const;
  const contact = (
    state: { checkedAt: number | null; configVersion: number } | undefined,
    now = NOW,
    of = {},
  ) =>
    fileContact({
      ...contactInput(
        {
          device: DEVICE,
          file: { ...file, moved, ...of },
          state,
          activity: { id: 'd', rev: now, orgId: 'o' },
          // The agent says when it looked at the file, not where.
          heartbeat: {
            ...{ id: 'd', rev: now, orgId: 'o', agentVersion: '1', instanceId: 'i', queue: 0 },
            checkedAt: { f: now },
          },
          firstContact: undefined,
        },
        { now, ahead: undefined },
      ),
      now,
    });
  t.equal(contact({ checkedAt: NOW, configVersion: 6 }), 'WAITING', 'the change itself is not judged yet');
  t.equal(contact({ checkedAt: null, configVersion: 7 }), 'WAITING', 'no report of the new path');
  t.equal(contact(undefined), 'WAITING', 'no report at all');
  const lostAt = moved.at + 900_001;
  t.equal(contact({ checkedAt: null, configVersion: 7 }, lostAt - 1), 'WAITING', 'for three intervals');
  t.equal(contact({ checkedAt: null, configVersion: 7 }, lostAt), 'LOST');
  t.equal(contact({ checkedAt: NOW, configVersion: 7 }), 'OK', 'a report of the new path');
  t.equal(contact({ checkedAt: NOW, configVersion: 7 }, lostAt), 'OK', 'heartbeats count from then on');
  t.equal(
    contact({ checkedAt: NOW, configVersion: 6 }, NOW, { moved: undefined }),
    'OK',
    'as without a move',
  );
});

t.test(
  'a report that was kept, and comes after the heartbeat, does not hide that the agent does not look',
  async (t) => {
    const heartbeat = { rev: NOW, problems: { blind: 'EACCES' } };
    t.equal(unwatchedSince('blind', heartbeat, undefined), NOW, 'as long as the last heartbeat says so');
    t.equal(unwatchedSince('other', heartbeat, undefined), null);
    t.equal(unwatchedSince('blind', { rev: NOW }, undefined), null);
    t.equal(unwatchedSince('blind', undefined, undefined), null);
  },
);

t.test('three months before the last of May is the last of February', async (t) => {
  t.equal(monthsBefore(Date.UTC(2026, 4, 31, 12), 3), Date.UTC(2026, 1, 28, 12));
  t.equal(monthsBefore(Date.UTC(2026, 10, 21), 3), Date.UTC(2026, 7, 21));
});

t.test('a time is the beginning of the ids of that time', async (t) => {
  for (const ms of [0, 1, 1_790_000_000_000, 2 ** 48 - 1])
    t.ok(eventId(ms, 'LINK', utf8('x')).startsWith(idPrefixOf(ms)), String(ms));
});

t.test('a cell of a CSV is quoted, and is no formula', async (t) => {
  t.equal(csvLine(['a', null, 'b;c', 'say "x"', 'two\nlines']), 'a;-;"b;c";"say ""x""";"two\nlines"\r\n');
  t.equal(csvLine(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '-']), `'=1+1;'+1;'-1;'@x;'\tx;"'\rx";'-\r\n`);
});
