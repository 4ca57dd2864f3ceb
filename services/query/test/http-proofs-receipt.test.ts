import t from 'tap';
import type { KeptReceipt } from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import { PROOF_WORK } from '../src/proofs/limits.ts';
import type { FileHistory } from './chain-records.ts';
import { proofScene } from './proof-scene.ts';
import { receiptOf } from './receipts.ts';

const LINKS = 40;
const UNKNOWN = '77'.repeat(32);

t.test('the holder of a receipt gets the proof of what it promised', async (t) => {
  const { chains, world } = await proofScene(t);
  const [file] = chains.files as [FileHistory];
  const { fileId } = file.key;
  const post = async (kept: KeptReceipt) => {
    const url = '/api/v1/proofs/receipt';
    const answer = await world.app.inject({ method: 'POST', url, payload: kept });
    return { status: answer.statusCode, body: answer.json() };
  };
  const records = [file.baseline()];
  while (records.length < LINKS) records.push(file.link());
  await chains.append(...records);
  const entries = chains.entriesOf(0).filter(({ kind }) => kind !== 'GENESIS');

  await t.test('of every report, without the owner', async (t) => {
    for (const { acceptedAt, id, linkHash, number, reportHash } of entries) {
      const { status, body } = await post(receiptOf(fileId, acceptedAt, reportHash!));
      t.equal(status, 200, `link ${number} ${id}`);
      t.match(body, { state: 'PENDING', entry: { number, linkHash, reportHash } });
      t.same(body.subject, { type: 'FILE', id: fileId });
    }
  });

  const { acceptedAt, reportHash = '' } = entries[10]!;
  const good = receiptOf(fileId, acceptedAt, reportHash);

  await t.test('of a report that has no link there is none', async (t) => {
    const long = 3 * PROOF_WORK.receiptSkewMs;
    const other = chains.files[1]!.key.fileId;
    for (const [title, kept] of Object.entries({
      'another report': receiptOf(fileId, acceptedAt, UNKNOWN),
      earlier: receiptOf(fileId, acceptedAt - long, reportHash),
      'another file': receiptOf(other, acceptedAt, reportHash),
    }))
      t.equal((await post(kept)).status, 404, title);
  });

  await t.test('of a report that was sent twice the entry of the first acceptance', async (t) => {
    for (const [title, time] of Object.entries({
      'at once': acceptedAt + 1,
      'at once, by a clock behind': acceptedAt - PROOF_WORK.receiptSkewMs,
      'a day later': acceptedAt + 86_400_000,
    })) {
      const { status, body } = await post(receiptOf(fileId, time, reportHash));
      t.equal(status, 200, title);
      t.match(body, { entry: { acceptedAt, reportHash } }, title);
    }
  });

  await t.test('a receipt that this log did not sign tells nothing', async (t) => {
    const foreign = receiptOf(fileId, acceptedAt, reportHash, logKeyOf('another secret, long enough'));
    const later = { ...good, receipt: { ...good.receipt, acceptedAt: acceptedAt + 1 } };
    for (const kept of [foreign, later, { ...good, reportHash: UNKNOWN }, { ...good, fileId: 'x' }]) {
      const { status, body } = await post(kept);
      t.equal(status, 422);
      t.notOk('entry' in body);
    }
  });
});
