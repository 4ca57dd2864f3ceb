/** Tests what is said of a receipt, by itself and with a report or a proof: given what the log signed, when it is checked, then. */
import { createHash, createPrivateKey, sign } from 'node:crypto';
import t from 'tap';
import { fromHex, utf8 } from '../src/bytes/bytes.ts';
import { logIdOf } from '../src/log/checkpoint.ts';
import { VerifyInputError } from '../src/proof/inputs.ts';
import type { Proof } from '../src/proof/proof.ts';
import { checkReceipt, printedReceipt, receiptFrom } from '../src/receipt/receipt-check.ts';
import { RECEIPT_FORMAT, signReceipts, type KeptReceipt } from '../src/receipt/receipt.ts';
import { named, offline, trust, whole } from './proof-support.ts';
import { LOG_KEY_SEED } from './vector-inputs.ts';

const HOUR_MS = 3_600_000;
// PKCS #8 prefix of a raw Ed25519 seed (RFC 8410).
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${LOG_KEY_SEED}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const REPORT = utf8('{"sequence":1}');
const ACCEPTED = whole.entry.acceptedAt;
const ACCEPTED_TEXT = '2026-11-21T10:00:04.250Z';

/** A receipt of the log for the report of the recorded proofs, unless a test names another. */
function receipt({
  acceptedAt = ACCEPTED,
  reportHash = whole.entry.reportHash!,
  fileId = whole.subject.id,
} = {}): KeptReceipt {
  const logId = logIdOf(fromHex(trust.publicKey));
  const made = signReceipts(logId, [{ fileId, acceptedAt, reportHash: fromHex(reportHash) }], (message) =>
    sign(null, message, privateKey),
  );
  return {
    ...{ format: RECEIPT_FORMAT, fileId, reportHash },
    receipt: { ...made.signed, acceptedAt, index: 0, path: made.path(0) },
  };
}

interface Given {
  readonly now?: number;
  readonly report?: Uint8Array;
  readonly proof?: unknown;
}
const check = async (
  kept: KeptReceipt,
  { now = ACCEPTED + HOUR_MS, report, proof }: Given = {},
  of = trust,
) =>
  checkReceipt(kept, of, {
    ...{ verifySignature: offline.verifySignature, now },
    ...(report && { report }),
    ...(proof !== undefined && { proof: { name: 'PROOF', document: utf8(JSON.stringify(proof)) } }),
  });
const said = async (...given: Parameters<typeof check>): Promise<string> => {
  const { entryAcceptedAt, outcome, why } = await check(...given);
  return [
    outcome,
    ...(why === null ? [] : [why]),
    ...(entryAcceptedAt === null ? [] : [entryAcceptedAt]),
  ].join(': ');
};
const OTHER_REPORT = 'FAILS: the proof is of another report: give the one of this receipt';

t.test('a receipt that the log signed holds by itself', async (t) => {
  t.strictSame(await check(receipt()), {
    ...{ outcome: 'HOLDS', why: null, fileId: whole.subject.id, reportHash: whole.entry.reportHash },
    ...{ acceptedAt: ACCEPTED_TEXT, entryAcceptedAt: null, isEntryShown: false },
  });
});

t.test('a receipt that the key did not sign says nothing, whatever else is given', async (t) => {
  const unsigned = 'FAILS: the key of the trust file did not sign it';
  const kept = receipt();
  const later = { ...kept, receipt: { ...kept.receipt, acceptedAt: ACCEPTED + 1 } };
  t.equal(await said(later), unsigned);
  t.equal(await said(later, { proof: whole }), unsigned);
  t.equal(await said(later, { now: 0 }), unsigned);
  t.equal(await said(kept, {}, { ...trust, publicKey: '11'.repeat(32) }), unsigned, 'of another log');
});

t.test('a receipt is compared with the bytes of a report', async (t) => {
  const reportHash = createHash('sha256').update(REPORT).digest('hex');
  t.equal(await said(receipt({ reportHash }), { report: REPORT }), 'HOLDS');
  t.equal(await said(receipt(), { report: REPORT }), 'FAILS: it is of another report');
  t.equal(await said(receipt(), { report: REPORT, now: 0 }), 'FAILS: it is of another report');
});

t.test('a receipt of a time to come promises nothing yet', async (t) => {
  const ahead =
    'NOT SHOWN: the log signed a time that is to come, and promises nothing until then: compare the clock of this machine';
  t.equal(await said(receipt(), { now: ACCEPTED - 600_000 }), 'HOLDS', 'clocks differ');
  t.equal(await said(receipt(), { now: ACCEPTED - 600_001 }), ahead);
  t.equal(await said(receipt(), { now: ACCEPTED - 600_001, proof: whole }), ahead);
});

t.test('a proof with a batch keeps the promise, at any time', async (t) => {
  for (const name of ['whole', 'sent', 'cut'])
    for (const hours of [0, 1_000])
      t.equal(await said(receipt(), { proof: named(name), now: ACCEPTED + hours * HOUR_MS }), 'HOLDS', name);
});

t.test('a proof without a batch keeps and breaks nothing: nobody signed it', async (t) => {
  const unsigned =
    'NOT SHOWN: the proof has no batch, and nobody signed it: ask the server again for the proof';
  const proof = named('pending');
  const early = `${unsigned}. It may wait for its batch until 2026-11-22T12:00:04.250Z`;
  t.equal(await said(receipt(), { proof }), early);
  t.equal(await said(receipt(), { proof, now: ACCEPTED + 26 * HOUR_MS - 1 }), early);
  t.equal(await said(receipt(), { proof, now: ACCEPTED + 26 * HOUR_MS }), unsigned);
});

t.test('an entry that the log signed with a later time breaks the promise', async (t) => {
  const before = (ms: number) => receipt({ acceptedAt: ACCEPTED - ms });
  const later = 'the server says a later time of acceptance now';
  t.equal(await said(before(60_001), { proof: whole }), `BROKEN PROMISE: ${later}`);
  t.equal(await said(before(60_000), { proof: whole }), `HOLDS: ${ACCEPTED_TEXT}`, 'clocks differ');
  t.equal(
    await said(before(60_001), { proof: named('pending') }),
    'FAILS: the proof says a later time of acceptance, and the log did not sign it: ask for it again',
  );
});

t.test('of a report that was sent twice there is one entry', async (t) => {
  t.equal(
    await said(receipt({ acceptedAt: ACCEPTED + HOUR_MS }), { proof: whole }),
    `HOLDS: ${ACCEPTED_TEXT}`,
  );
});

t.test('a proof of another report, file or subject is refused', async (t) => {
  t.equal(await said(receipt({ reportHash: '11'.repeat(32) }), { proof: whole }), OTHER_REPORT);
  t.equal(
    await said(receipt({ fileId: whole.subject.id.replace(/.$/, '9') }), { proof: whole }),
    OTHER_REPORT,
  );
  const ofDevice = { ...whole, subject: { ...whole.subject, type: 'DEVICE' } };
  t.equal(await said(receipt(), { proof: ofDevice }), OTHER_REPORT);
  t.equal(await said(receipt(), { proof: named('the first entry of a file') }), OTHER_REPORT);
});

t.test('a proof that does not hold shows nothing', async (t) => {
  const changed: Proof = { ...whole, entry: { ...whole.entry, linkHash: '11'.repeat(32) } };
  t.equal(
    await said(receipt(), { proof: changed }),
    'FAILS: the proof does not hold: sentinel verify says why',
  );
  const cut = named('cut');
  const unsigned = {
    ...cut,
    batch: { ...cut.batch!, checkpoint: cut.batch!.checkpoint.replace(/.{9}\n$/, 'AAAAAAAA=\n') },
  };
  t.equal(
    await said(receipt(), { proof: unsigned }),
    'FAILS: the proof does not hold: sentinel verify says why',
    'a batch that the log did not sign',
  );
});

t.test('what is no proof is a wrong input, and no verdict', async (t) => {
  for (const proof of [{}, null, [], receipt()])
    await t.rejects(check(receipt(), { proof }), new VerifyInputError('PROOF is no proof'));
});

t.test('a receipt is read strictly', async (t) => {
  const kept = receipt();
  t.strictSame(receiptFrom('RECEIPT', utf8(JSON.stringify(kept))), kept);
  for (const wrong of [
    { ...kept, more: 1 },
    { ...kept, format: 'sentinel/receipt/v2' },
    { ...kept, fileId: 'x' },
    null,
  ])
    t.throws(() => receiptFrom('RECEIPT', utf8(JSON.stringify(wrong))), /^RECEIPT is no receipt: /);
  t.throws(() => receiptFrom('RECEIPT', utf8('{')), /\(NOT_JSON\)$/);
  t.throws(
    () => receiptFrom('RECEIPT', utf8(`${JSON.stringify(kept)}${' '.repeat(16_384)}`)),
    /\(TOO_LARGE: 16 KiB at most\)$/,
  );
});

t.test('the report on a receipt begins with the outcome', async (t) => {
  const lines = (given: string, more: readonly string[] = []) =>
    [
      given,
      `  file      ${whole.subject.id}`,
      `  report    SHA-256 ${whole.entry.reportHash}`,
      ...more,
      '',
    ].join('\n');
  t.equal(
    printedReceipt(await check(receipt())),
    lines('HOLDS', [
      `  accepted  ${ACCEPTED_TEXT}`,
      '  entry     not shown: without the proof that the server gives for the report, nothing says that it is in the chain',
    ]),
  );
  const shown = await check(receipt(), { proof: whole });
  t.equal(printedReceipt(shown), lines('HOLDS', [`  accepted  ${ACCEPTED_TEXT}`]));
  t.equal(shown.isEntryShown, true);
  const twice = await check(receipt({ acceptedAt: ACCEPTED + 1_000 }), { proof: whole });
  t.equal(
    printedReceipt(twice),
    lines('HOLDS', [
      '  accepted  2026-11-21T10:00:05.250Z',
      `  entry     accepted at ${ACCEPTED_TEXT}: the same report was sent more than once`,
    ]),
  );
  const wrong = await check(receipt(), { report: REPORT });
  t.equal(printedReceipt(wrong), lines('FAILS: it is of another report', [`  accepted  ${ACCEPTED_TEXT}`]));
});
