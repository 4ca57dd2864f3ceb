import {
  decodeFileEvent,
  fromHex,
  isParkingRecord,
  readPlainReport,
  reportBytes,
  reportEnd,
  reportStart,
  writeReport,
  type ReportHeader,
} from '@sentinel-node/contracts';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { judgeBatch } from '../src/judge-batch.ts';
import { INITIAL_HEAD, UnjudgeableRecordError } from '../src/index.ts';
import { Desk } from './doubles/desk.ts';
import { batchOf } from './doubles/world.ts';
import { FILE, first, LOG_ID, report, unchanged, version, type Made } from './dsl/records.ts';
import { given, Teller } from './dsl/story.ts';
import { WHOLE_STORY } from './dsl/whole-story.ts';

const A = version('A');
const B = version('B', 120);

/** The same report as ingestion writes it now; other records stay as they are. */
function compact(made: Made, mayPack = true): Made {
  const { header, report } = decodeFileEvent(made.body) as { header: ReportHeader; report: Uint8Array };
  if (header.kind !== 'report') return made;
  const packed = mayPack ? readPlainReport(report, 0, report.length)?.packed : undefined;
  const parts = {
    start: reportStart(header),
    acceptedAt: header.acceptedAt,
    nonce: fromHex(header.nonce),
    end: reportEnd(header.fileId, header.policy),
    report: packed ?? report,
    isPacked: packed !== undefined,
  };
  const body = new Uint8Array(reportBytes(parts));
  writeReport(parts, body);
  return { ...made, body };
}

t.test('every encoding of a log gives the same verdicts and heads', async (t) => {
  const teller = new Teller();
  for (const step of WHOLE_STORY) teller.tell(step);
  const [json, packed, received] = [new Desk(), new Desk(), new Desk()];
  let shorter = 0;
  for (const made of teller.log) {
    json.put(made);
    packed.put(compact(made));
    received.put(compact(made, false));
    if (compact(made).body.length < made.body.length / 2) shorter += 1;
  }
  t.ok(json.published.length > 30, `${json.published.length} verdicts`);
  t.ok(shorter > 20, `${shorter} reports have half their bytes and less`);
  for (const desk of [packed, received]) {
    t.equal(JSON.stringify(desk.published), JSON.stringify(json.published));
    t.same(desk.heads, json.heads);
    t.same(desk.deadLetters, []);
  }
});

t.test('a damaged compact report parks its file, and says why', async (t) => {
  const { log } = given({}, first(A), report('APPENDED', [A, B])).teller;
  const good = compact(log[1]!);
  const withByte = (at: number, byte: number): Uint8Array => {
    const body = good.body.slice();
    body[at] = byte;
    return body;
  };
  const pathAt = Buffer.from(good.body).indexOf('/srv/app.log');
  const cases: Readonly<Record<string, readonly [Uint8Array, RegExp]>> = {
    'cut short in its header': [good.body.slice(0, 40), /^the record ends too early, at byte 35$/],
    'cut short in its report': [good.body.slice(0, -20), /^the record ends too early/],
    'of another version': [withByte(0, 2), /^the record is of version 2, this program reads 1$/],
    'of another kind': [withByte(1, 7), /^the record is of no known kind$/],
    'a length beyond the end': [withByte(pathAt - 1, 0x7f), /^the record ends too early/],
    'more bytes than it says': [Uint8Array.from([...good.body, 0]), /^the record has 1 bytes too many$/],
    'another file': [withByte(60, 0xee), /^the key of the record is not its file$/],
  };
  for (const [name, [body, cause]] of Object.entries(cases)) {
    const desk = new Desk();
    desk.put(compact(log[0]!));
    t.ok(isParkingRecord(desk.put({ ...good, body })), name);
    matchList(t, desk.deadLetters, [{ kind: 'POISON', cause }], name);
    t.same(Buffer.from(desk.deadLetters[0]!.body!, 'base64'), Buffer.from(body), name);
  }
  for (let end = 0; end < good.body.length; end += 1) {
    const desk = new Desk();
    if (!isParkingRecord(desk.put({ ...good, body: good.body.slice(0, end) }))) t.fail(`${end} bytes`);
  }
});

t.test('a parked compact report comes back by a replay', async (t) => {
  const { log } = given({}, first(A), unchanged(A)).teller;
  const desk = new Desk();
  desk.put(compact(log[0]!));
  desk.put({ key: FILE, id: 'poison', body: new Uint8Array([2]) });
  desk.put(compact(log[1]!));
  desk.replay(0, true);
  t.match(desk.replay(1), { file: { hash: A.hash }, parking: { outcome: 'REPLAYED' } });
  t.equal(desk.heads.get(FILE)!.parked, undefined);
});

t.test('rules of a newer version in a compact report stop the verifier', async (t) => {
  const [made] = given({}, first(A)).teller.log;
  const body = compact(made!).body.slice();
  body[2] = 99;
  t.throws(() => new Desk().put({ ...made!, body: body.slice(0, 3) }), UnjudgeableRecordError);
});

t.test('a verdict is published in half of its bytes as JSON and less', async (t) => {
  const { teller } = given({ monitoringFrequency: 'FOLLOW' }, first(A), report('APPENDED', [A, B]));
  const records = teller.log.map((made, offset) => ({ ...compact(made), partition: 0, offset }));
  const { records: published } = judgeBatch(batchOf(0, records), new Map([[FILE, INITIAL_HEAD]]), LOG_ID);
  const [, link] = published;
  t.ok(link!.body.length < JSON.stringify(teller.published[1]).length / 2, `${link!.body.length} bytes`);
});
