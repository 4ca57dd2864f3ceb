/** Tests when the agent looks at a file and when it trusts events. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import {
  CONFIRM_MS,
  FOLLOW_LOOK_MS,
  hasEvents,
  isRacy,
  isRacyElsewhere,
  lookIntervalMs,
  mayHaveLost,
  meaningOf,
  nextLookAfterFaultMs,
  nextLookMs,
  reasonOf,
  shareOf,
} from '../src/domain/watching.ts';

const EARLY_MS = 10;
const SHORTEST_CATEGORY_MS = 60_000;

t.test('a probed file keeps its interval, whatever events there are', async (t) => {
  for (const polling of [undefined, 'OVERFLOW'] as const)
    t.equal(lookIntervalMs({ frequency: 'PROBE', intervalMs: 7_000, polling, healthMs: 10_000 }), 7_000);
});

t.test('a followed file without events is looked at four times a second', async (t) => {
  for (const polling of ['FILE_SYSTEM', 'WATCH_LIMIT', 'FOLDER_MISSING', 'LINK', 'STARTING'] as const)
    t.equal(lookIntervalMs({ frequency: 'FOLLOW', intervalMs: 1_000, polling, healthMs: 60_000 }), 250);
  t.equal(FOLLOW_LOOK_MS, 250);
});

t.test(
  'one with events is looked at in each heartbeat’s interval, and within that of any category',
  async (t) => {
    const every = (healthMs: number) =>
      lookIntervalMs({ frequency: 'FOLLOW', intervalMs: 1_000, polling: undefined, healthMs });
    t.equal(every(10_000), 10_000);
    t.equal(every(60_000), CONFIRM_MS);
    t.ok(CONFIRM_MS < SHORTEST_CATEGORY_MS);
  },
);

t.test(
  'looks: never later than the interval, at the file’s own phase, and never twice in one turn',
  async () => {
    const interval = fc.integer({ min: 1, max: 86_400_000 });
    const now = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(fc.uuid(), interval, now, (id, everyMs, nowMs) => {
        const rest = nextLookMs(id, everyMs, nowMs);
        if (everyMs <= FOLLOW_LOOK_MS) return rest === everyMs;
        const again = nextLookMs(id, everyMs, nowMs + rest);
        return rest > EARLY_MS && rest <= everyMs + EARLY_MS && Math.abs(again - everyMs) < 1;
      }),
    );
  },
);

t.test('files are spread over the interval', async (t) => {
  const ids = Array.from(
    { length: 3_000 },
    (_, n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  );
  const tenths = new Array<number>(10).fill(0);
  for (const id of ids) {
    const share = shareOf(id);
    t.ok(share > 0 && share <= 1, { diagnostic: false });
    tenths[Math.min(9, Math.floor(nextLookMs(id, 30_000, 0) / 3_000))]! += 1;
  }
  t.ok(Math.min(...tenths) > 200 && Math.max(...tenths) < 450, String(tenths));
});

t.test(
  'file systems of this machine have events; those of others, and unknown ones, have none',
  async (t) => {
    for (const type of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]) t.ok(hasEvents(type));
    const elsewhere = {
      nfs: 0x6969,
      cifs: 0xff534d42,
      smb2: 0xfe534d42,
      fuse: 0x65735546,
      ceph: 0x00c36400,
      p9: 0x01021997,
    };
    for (const [name, type] of Object.entries(elsewhere)) t.notOk(hasEvents(type), name);
    t.notOk(hasEvents(0));
  },
);

t.test(
  'looks whose results cannot be kept become rare, at most a minute apart, and are spread',
  async (t) => {
    t.equal(nextLookAfterFaultMs('a', 0), FOLLOW_LOOK_MS);
    t.equal(nextLookAfterFaultMs('a', 20_000), 20_000);
    const rare = ['a', 'b', 'c', 'd'].map((id) => nextLookAfterFaultMs(id, 86_400_000));
    t.equal(new Set(rare).size, 4);
    t.ok(rare.every((ms) => ms > 30_000 && ms <= 60_000));
  },
);

t.test('why a watch could not be had', async (t) => {
  for (const code of ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']) t.equal(reasonOf(code), 'WATCH_LIMIT');
  for (const code of ['ENOENT', 'ENOTDIR']) t.equal(reasonOf(code), 'FOLDER_MISSING');
  for (const code of ['EACCES', undefined]) t.equal(reasonOf(code), 'REFUSED');
});

t.test('a queue that was full hands out at least half of its events in one turn', async (t) => {
  t.equal(mayHaveLost(8_191, 16_384), false);
  t.equal(mayHaveLost(8_192, 16_384), true);
});

t.test('an event without a name, or under the folder’s own, is about the folder', async (t) => {
  t.equal(meaningOf(null, 'log'), 'folder');
  t.equal(meaningOf('log', 'log'), 'folder');
  t.equal(meaningOf('a.log', 'log'), 'entry');
});

t.test('times that are as old as a tick of the clock do not tell of another change', async (t) => {
  t.equal(isRacy(1_000.5, 1_020), true);
  t.equal(isRacy(1_000.5, 1_021), false);
  t.equal(isRacy(1_005, 1_000), true, 'the coarse clock of files is behind the fine one');
  t.equal(isRacy(3_000, 4_019), true, 'a file system that keeps whole seconds');
  t.equal(isRacy(3_000, 4_020), false);
  t.equal(isRacy(4_000, 6_019), true, 'and one that keeps even ones');
  t.equal(isRacy(4_000, 6_020), false);
});

t.test(
  'times by the clock of another machine tell nothing until they were seen for long enough',
  async (t) => {
    const hour = 3_600_000;
    t.equal(isRacyElsewhere(10_000.5, 10_020, hour), true, 'a young one is racy whoever gave the time');
    t.equal(isRacyElsewhere(10_000.5, 2 * hour, 19), true, 'an hour behind, and seen just now');
    t.equal(isRacyElsewhere(10_000.5, 2 * hour, 20), false, 'seen for the grain of the time');
    t.equal(isRacyElsewhere(4_000, 2 * hour, 2_019), true, 'a coarse time has a longer grain');
    t.equal(isRacyElsewhere(4_000, 2 * hour, 2_020), false);
    t.equal(isRacyElsewhere(10_000.5, 10_000.5 + 24 * hour - 1, 0), true);
    t.equal(isRacyElsewhere(10_000.5, 10_000.5 + 24 * hour, 0), false, 'no clock is a day behind');
    t.equal(isRacyElsewhere(10_000.5 + 24 * hour, 10_000.5, 0), false, 'or a day ahead');
  },
);

t.test('the next look is in the file’s own phase, and no look comes twice in a turn', async (t) => {
  t.equal(shareOf(''), (0x811c9dc5 + 1) / 2 ** 32, 'FNV-1a of nothing');
  t.equal(shareOf('a'), (0xe40c292c + 1) / 2 ** 32, 'FNV-1a of its test vector');
  t.equal(nextLookMs('a', FOLLOW_LOOK_MS, 123), FOLLOW_LOOK_MS, 'an interval of one step has no phase');
  const phase = Math.floor(shareOf('a') * 119) * FOLLOW_LOOK_MS;
  for (const now of [0, 7_777, 1e12 + 3]) t.equal((now + nextLookMs('a', 30_000, now) - phase) % 30_000, 0);
  t.equal(nextLookMs('a', 30_000, phase), 30_000, 'at its turn, the one after');
  t.equal(
    nextLookMs('a', 30_000, phase - EARLY_MS),
    30_000 + EARLY_MS,
    'a timer that is early counts for the turn',
  );
  t.equal(nextLookMs('a', 30_000, phase - EARLY_MS - 1), EARLY_MS + 1);
});
