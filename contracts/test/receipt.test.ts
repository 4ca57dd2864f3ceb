import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import t from 'tap';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { logIdOf } from '../src/log/checkpoint.ts';
import { RECEIPT_FORMAT, signReceipts, verifyReceipt, type KeptReceipt } from '../src/receipt/receipt.ts';
import { vector } from './support.ts';

const flushes =
  vector<
    readonly { readonly publicKey: string; readonly receipts: readonly { readonly kept: KeptReceipt }[] }[]
  >('receipts.json');
const publicKey = fromHex(flushes[0]!.publicKey);
const log = { logId: logIdOf(publicKey), publicKey };
const ed25519 = (message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean => {
  const x = Buffer.from(key).toString('base64url');
  const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, jwk, signature);
};
const holds = (kept: KeptReceipt, of = log) => verifyReceipt(kept, of, ed25519);

t.test('each report of a flush has a receipt that holds', async (t) => {
  for (const { kept } of flushes.flatMap(({ receipts }) => receipts)) t.ok(await holds(kept));
});

t.test('a receipt is of exactly one report, time, flush and log', async (t) => {
  const { kept } = flushes[2]!.receipts[3]!;
  const { receipt } = kept;
  const other = flushes[1]!.receipts[0]!.kept;
  const changed: Readonly<Record<string, KeptReceipt>> = {
    file: { ...kept, fileId: other.fileId.replace(/.$/, 'f') },
    report: { ...kept, reportHash: other.reportHash },
    time: { ...kept, receipt: { ...receipt, acceptedAt: receipt.acceptedAt + 1 } },
    index: { ...kept, receipt: { ...receipt, index: 2 } },
    count: { ...kept, receipt: { ...receipt, count: 4 } },
    'index beyond the count': { ...kept, receipt: { ...receipt, index: 5 } },
    path: { ...kept, receipt: { ...receipt, path: receipt.path.slice(1) } },
    root: { ...kept, receipt: { ...receipt, root: other.receipt.root } },
    signature: { ...kept, receipt: { ...receipt, signature: other.receipt.signature } },
  };
  for (const [title, one] of Object.entries(changed)) t.notOk(await holds(one), title);
  t.notOk(await holds(kept, { ...log, logId: new Uint8Array(32) }), 'another log');
});

t.test('one signature gives each of any number of reports a receipt that holds', async (t) => {
  const { privateKey, publicKey: made } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(Buffer.from(made.export({ format: 'jwk' }).x ?? '', 'base64url'));
  const own = { logId: logIdOf(raw), publicKey: raw };
  for (const count of [1, 2, 3, 7, 64, 65]) {
    const accepted = Array.from({ length: count }, (_, n) => {
      return {
        fileId: flushes[0]!.receipts[0]!.kept.fileId,
        acceptedAt: n,
        reportHash: new Uint8Array(32).fill(n),
      };
    });
    let signatures = 0;
    const { signed, path } = signReceipts(own.logId, accepted, (message) => {
      signatures += 1;
      return sign(null, message, privateKey);
    });
    t.equal(signatures, 1);
    for (const [index, { acceptedAt, fileId, reportHash }] of accepted.entries()) {
      const receipt = { ...signed, acceptedAt, index, path: path(index) };
      t.ok(await holds({ format: RECEIPT_FORMAT, fileId, reportHash: toHex(reportHash), receipt }, own));
    }
  }
});
