import t from 'tap';
import { signReceipts } from '@sentinel-node/contracts';
import { receiptTexts } from '../src/domain/receipt-text.ts';

t.test('a text is that of the object, at every place of trees of every size', async (t) => {
  const logId = new Uint8Array(32).fill(1);
  const reportOf = (n: number) => ({
    fileId: '01932b5e-7c00-7a11-8b22-000000000003',
    reportHash: n.toString(16).padStart(64, '0'),
    acceptedAt: 1_700_000_000_000 + n,
  });
  for (let count = 1; count <= 70; count++) {
    const reports = Array.from({ length: count }, (_, n) => reportOf(n));
    const signed = signReceipts(logId, reports, () => new Uint8Array(64).fill(0xab));
    const textOf = receiptTexts(signed);
    for (const [index, { acceptedAt }] of reports.entries()) {
      const object = { acceptedAt, index, path: signed.path(index), ...signed.signed };
      t.equal(textOf(acceptedAt, index), JSON.stringify(object), `report ${index} of ${count}`);
    }
  }
});
