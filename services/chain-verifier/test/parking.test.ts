import { isParkingRecord, ParkingRecordSchema, PARKING_LIMITS } from '@sentinel-node/contracts';
import { compileChecker } from '@sentinel-node/platform';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { replayRecordOf } from '../src/index.ts';
import { Desk, edited } from './doubles/desk.ts';
import { DEVICE, FILE, first, report, unchanged, version, type Made } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const A = version('A');
const B = version('B', 120);
const OTHER = '01932b5e-7c00-7a11-8b22-0000000000ff';
const parkingChecker = compileChecker(ParkingRecordSchema);
const poison: Made = { key: FILE, id: 'poison', body: encode('{"kind":"riddle"}') };

/** A file with one judged report, then poison, then one more report. */
function parkedDesk() {
  const { log, published } = given({}, first(A), report('APPENDED', [A, B])).teller;
  const desk = new Desk();
  desk.put(log[0]!);
  desk.put(poison);
  desk.put(log[1]!);
  return { desk, log, published };
}

t.test('what is no record of file-events parks its key, and the cause quotes nothing of it', async (t) => {
  const [report] = given({}, first(A)).teller.log;
  const text = new TextDecoder().decode(report!.body);
  const cases: Readonly<Record<string, Made>> = {
    'not JSON': { ...report!, body: encode(`secret ${text}`) },
    'no known kind': edited(report!, '"kind":"report"', '"kind":"secret"'),
    'a header that does not fit': edited(report!, '"v":1', '"v":2'),
    'a report that does not fit': edited(report!, '"versions":', '"secret":'),
    'bytes that are no text': { ...report!, body: new Uint8Array([0xff, 0xfe, 0x0a, 0xff]) },
    'nothing at all': { ...report!, body: new Uint8Array(0) },
    'the key of another file': { ...report!, key: OTHER },
    'a replay that does not fit': { ...report!, body: encode('{"kind":"replay","v":1,"index":-1}') },
  };
  for (const [name, made] of Object.entries(cases)) {
    const desk = new Desk();
    const record = desk.put(made);
    t.ok(isParkingRecord(record) && parkingChecker.check(record), name);
    t.match(record, {
      rev: 1,
      timestamp: 0,
      parking: { parking: 0, offset: 0, index: 0, outcome: 'PARKED' },
    });
    matchList(t, desk.deadLetters, [{ kind: 'POISON', parking: 0, index: 0, key: made.key, id: made.id }]);
    t.match(desk.deadLetters[0]?.cause, /^(?!.*secret).+$/, name);
    t.same(Buffer.from(desk.deadLetters[0]?.body ?? '', 'base64'), Buffer.from(made.body), name);
  }
});

t.test('later records of the key follow in order, other keys go on', async (t) => {
  const { desk } = parkedDesk();
  const elsewhere = given({}, first(A), unchanged(A)).teller.log.map((made) => ({
    ...edited(made, `"fileId":"${FILE}"`, `"fileId":"${OTHER}"`),
    key: OTHER,
  }));
  for (const made of elsewhere) t.notOk(isParkingRecord(desk.put(made)));
  t.same(
    desk.deadLetters.map(({ kind, index, offset, cause }) => [kind, index, offset, cause]),
    [
      ['POISON', 0, 1, 'a record of no known kind'],
      ['FOLLOWER', 1, 2, null],
    ],
  );
  t.match(desk.published[2], { rev: 3, parking: { parking: 1, index: 1, letters: 2, replayed: 0 } });
  t.match(desk.heads.get(FILE)?.parked, { parking: 1, letters: 2, replayed: 0 });
  t.equal(desk.heads.get(OTHER)?.parked, undefined);
});

t.test('a record that is good again is judged as if it came under its first identity', async (t) => {
  const { log, published } = given({}, first(A), report('APPENDED', [A, B]), unchanged(B)).teller;
  const desk = new Desk();
  desk.put(log[0]!);
  desk.put(log[1]!, 'an older version could not judge it');
  desk.put(log[2]!);
  t.match(desk.replay(0), {
    ...published[1],
    rev: 4,
    parking: { outcome: 'REPLAYED', letters: 2, replayed: 1 },
  });
  t.match(desk.heads.get(FILE)?.parked, { letters: 2, replayed: 1 }, 'still parked: one letter is left');
  t.match(desk.replay(1), {
    ...published[2],
    rev: 5,
    parking: { outcome: 'REPLAYED', letters: 2, replayed: 2 },
  });
  t.notOk(Object.hasOwn(desk.heads.get(FILE)!, 'parked'), 'parked no longer');
  const next = report('APPENDED', [B, version('C', 140)]);
  matchWhole(
    t,
    desk.put(given({}, first(A), report('APPENDED', [A, B]), unchanged(B), next).teller.log[3]!),
    {
      rev: 6,
      entries: [{ kind: 'LINK', number: 3 }],
    },
  );
});

t.test('only the next letter of the present parking counts', async (t) => {
  const { desk } = parkedDesk();
  const [poisoned, follower] = desk.deadLetters;
  t.equal(desk.replay(1), undefined, 'not its turn');
  desk.replay(0, true);
  t.equal(desk.replay(0, true), undefined, 'it had its turn');
  t.match(desk.replay(1), { parking: { outcome: 'REPLAYED' } });
  t.equal(desk.replay(1), undefined, 'the file is not parked');
  desk.put({ ...poison, id: 'again' });
  t.equal(desk.deadLetters.at(-1)?.index, 0);

  t.equal(desk.put(replayRecordOf(poisoned!, true)), undefined, 'a letter of a parking that is over');
  t.equal(desk.put(replayRecordOf(follower!)), undefined);
  t.match(desk.replay(0, true), { parking: { outcome: 'SKIPPED', letters: 1, replayed: 1 } });
});

t.test('poison that is replayed leaves the file parked; a person can pass it over', async (t) => {
  const { desk, published } = parkedDesk();
  t.match(desk.replay(0), {
    kind: 'parking',
    parking: { outcome: 'REFUSED', index: 0, cause: 'a record of no known kind', letters: 2, replayed: 0 },
  });
  t.match(desk.deadLetters.at(-1), {
    kind: 'REFUSAL',
    index: 0,
    parking: 1,
    cause: 'a record of no known kind',
  });
  t.notOk(Object.hasOwn(desk.deadLetters.at(-1)!, 'body'));
  t.match(desk.replay(0, true), {
    kind: 'parking',
    parking: { outcome: 'SKIPPED', letters: 2, replayed: 1 },
  });
  t.match(desk.replay(1), { ...published[1], rev: 6, parking: { replayed: 2 } });
});

t.test('a replay within a dead letter is refused', async (t) => {
  const { desk } = parkedDesk();

  const nested = {
    ...desk.deadLetters[0]!,
    body: Buffer.from(replayRecordOf(desk.deadLetters[1]!).body).toString('base64'),
  };
  t.match(desk.put(replayRecordOf(nested)), {
    parking: { outcome: 'REFUSED', cause: 'a replay within a replay' },
  });
});

t.test('a decision on record holds, whatever this version could make of the record', async (t) => {
  const { log } = given({}, first(A), report('APPENDED', [A, B])).teller;
  const desk = new Desk();
  t.match(desk.put(log[0]!, 'once'), { kind: 'parking', parking: { outcome: 'PARKED', cause: 'once' } });

  t.match(desk.put(replayRecordOf(desk.deadLetters[0]!), 'still'), {
    parking: { outcome: 'REFUSED', cause: 'still' },
  });
  t.match(desk.replay(0), { parking: { outcome: 'REPLAYED', letters: 1, replayed: 1 } });
});

t.test('a replay from which nothing follows is told all the same', async (t) => {
  const { log } = given({}, first(A)).teller;
  const desk = new Desk();
  desk.put(log[0]!);
  desk.put(log[0]!, 'once');
  t.match(desk.replay(0), { kind: 'parking', rev: 3, parking: { outcome: 'REPLAYED', replayed: 1 } });
});

t.test('a record that is too long for a dead letter stays in the log only', async (t) => {
  const desk = new Desk();
  const { letterBytes } = PARKING_LIMITS;
  desk.put({ ...poison, body: new Uint8Array(letterBytes) });
  desk.put({ ...poison, body: new Uint8Array(letterBytes + 1) });
  t.same(
    desk.deadLetters.map(({ body, length }) => [body === undefined, length]),
    [
      [false, letterBytes],
      [true, letterBytes + 1],
    ],
  );
});

t.test('a device of its own can be parked', async (t) => {
  const desk = new Desk();
  t.match(desk.put({ ...poison, key: DEVICE }), { kind: 'parking' });
});
