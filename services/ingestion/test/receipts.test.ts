import { createPublicKey, verify } from 'node:crypto';
import t from 'tap';
import { receiptFrom, sha256, toHex, verifyReceipt } from '@sentinel-node/contracts';
import type { BulkAnswer, KeptReceipt, Receipt, ReportAccepted } from '@sentinel-node/contracts';
import { prefers } from '../src/http/preferences.ts';
import { Receipts } from '../src/receipts.ts';
import { LOG_KEY, newId, NOW, report, SEQUENCE, startWorld, type Answer, type World } from './support.ts';

const RECEIPT = { prefer: 'receipt' };

function ed25519(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  const x = Buffer.from(key).toString('base64url');
  const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, jwk, signature);
}

/** Returns whether the receipt is for these bytes. */
function holds(world: World, sent: string, receipt: Receipt): Promise<boolean> {
  const reportHash = toHex(sha256(Buffer.from(sent)));
  const kept: KeptReceipt = { format: 'sentinel/receipt/v1', fileId: world.file.id, reportHash, receipt };
  return verifyReceipt(kept, LOG_KEY, ed25519);
}

const body = (n: number): string => JSON.stringify(report({ sequence: SEQUENCE + n }));
const line = (world: World, n: number): string =>
  JSON.stringify({ fileId: world.file.id, ...report({ sequence: SEQUENCE + n }) });
const receiptsOf = (answer: Answer): Receipt[] => {
  const { lines = [], ...signed } = (answer.json() as BulkAnswer).receipt!;
  return lines.map(({ line: _, ...position }) => ({ ...position, ...signed }));
};

t.test('a report has a receipt when it is asked for, of the time that its record has', async (t) => {
  const world = await startWorld(t);
  const answer = await world.send(body(1), RECEIPT);
  t.equal(answer.statusCode, 202);
  t.equal(answer.headers['preference-applied'], 'receipt');
  const { receipt } = answer.json() as ReportAccepted;
  t.ok(await holds(world, body(1), receipt!));
  t.notOk(await holds(world, body(2), receipt!), 'of no other report');
  const [record] = await world.records();
  t.equal(receipt?.acceptedAt, Number(record?.header.acceptedAt));
});

t.test('nobody else gets one', async (t) => {
  const world = await startWorld(t);
  const single = await world.send(body(1));
  t.same(single.json(), { fileId: world.file.id, sequence: SEQUENCE + 1 });
  t.notHas(single.headers, { 'preference-applied': 'receipt' });
  t.same((await world.bulk(line(world, 2))).json(), { accepted: 1, rejected: [] });
});

t.test('reports that become durable together share one signature', async (t) => {
  const world = await startWorld(t);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => world.send(body(n), RECEIPT)));
  const receipts = answers.map((answer) => (answer.json() as ReportAccepted).receipt!);
  for (const [n, receipt] of receipts.entries()) t.ok(await holds(world, body(n), receipt), `report ${n}`);
  t.ok(new Set(receipts.map(({ signature }) => signature)).size < receipts.length);
});

t.test('of 1 to 70 reports in one turn, each has a receipt that holds, under one signature', async (t) => {
  const fileId = newId();
  const receipts = new Receipts(LOG_KEY);
  for (let count = 1; count <= 70; count++) {
    const reports = Array.from({ length: count }, (_, n) => Buffer.from(body(n)));
    const texts = await Promise.all(reports.map((bytes, n) => receipts.single(fileId, NOW + n, bytes)));
    const kept = texts.map((text, n) => {
      const reportHash = toHex(sha256(reports[n]!));
      const members = `"format":"sentinel/receipt/v1","fileId":"${fileId}","reportHash":"${reportHash}"`;
      return receiptFrom('it', Buffer.from(`{${members},"receipt":${text}}`));
    });
    for (const [n, one] of kept.entries()) {
      const { acceptedAt, index, count: of } = one.receipt;
      t.same([acceptedAt, index, of], [NOW + n, n, count]);
      t.ok(await verifyReceipt(one, LOG_KEY, ed25519), `${n} of ${count} holds`);
    }
    t.equal(new Set(kept.map(({ receipt }) => receipt.signature)).size, 1);
  }
});

t.test('the reports of the next turn have a signature of their own', async (t) => {
  const receipts = new Receipts(LOG_KEY);
  const one = async (n: number) =>
    JSON.parse(await receipts.single(newId(), NOW, Buffer.from(body(n)))) as Receipt;
  const [first, second] = [await one(1), await one(2)];
  t.same([first.index, first.count, second.index, second.count], [0, 1, 0, 1]);
  t.not(first.signature, second.signature);
});

t.test('a report that cannot be hashed, or a key that cannot sign, fails its own reports only', async (t) => {
  let isBroken = true;
  const sign = (message: Uint8Array): Uint8Array => {
    if (isBroken) throw new Error('no key');
    return LOG_KEY.sign(message);
  };
  const receipts = new Receipts({ logId: LOG_KEY.logId, sign });
  const give = (fileId: string) => receipts.single(fileId, NOW, Buffer.from(body(1)));
  await t.rejects(give('no file'), { message: 'not a UUID' });
  const both = await Promise.allSettled([give(newId()), give(newId())]);
  t.same(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isBroken = false;
  const [failed, given] = await Promise.allSettled([give('no file'), give(newId())]);
  t.equal(failed.status, 'rejected');
  t.equal((JSON.parse((given as PromiseFulfilledResult<string>).value) as Receipt).count, 1);
});

t.test('a bulk body has one for each line that was taken', async (t) => {
  const world = await startWorld(t);
  const lines = [line(world, 1), '{"no": "report"}', line(world, 2), line(world, 3)];
  const answer = await world.bulk(lines.join('\n'), RECEIPT);
  t.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  const { accepted, receipt } = answer.json() as BulkAnswer;
  t.equal(accepted, 3);
  t.same(
    receipt?.lines.map(({ line }) => line),
    [1, 3, 4],
  );
  for (const [n, one] of receiptsOf(answer).entries())
    t.ok(await holds(world, lines[receipt!.lines[n]!.line - 1]!, one));
});

t.test('what was not taken has none', async (t) => {
  const world = await startWorld(t);
  const refused = await world.bulk('{"no": "report"}', RECEIPT);
  t.same(Object.keys(refused.json() as object), ['accepted', 'rejected']);
  const ahead = await world.send(JSON.stringify(report({ sequence: Number.MAX_SAFE_INTEGER })), RECEIPT);
  t.equal(ahead.statusCode, 422);
  t.notHas(ahead.json(), { receipt: {} });
});

t.test('preferences are read as RFC 7240 has them', (t) => {
  for (const yes of [
    'receipt',
    ' Receipt ',
    'wait=5, receipt',
    'receipt;x=1',
    'receipt=""',
    ['a', 'receipt'],
  ])
    t.ok(prefers(yes, 'receipt'), String(yes));
  for (const no of [undefined, '', 'receipts', 'wait="receipt"', 'return=receipt', []])
    t.notOk(prefers(no, 'receipt'), String(no));
  t.end();
});
