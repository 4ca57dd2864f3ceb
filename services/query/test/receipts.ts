/** Builds receipts as ingestion does. */
import { signReceipts, type KeptReceipt } from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import { MASTER_SECRET } from './world.ts';

const KEY = logKeyOf(MASTER_SECRET);

/** Returns the receipt of one report. @param reportHash hex */
export function receiptOf(
  fileId: string,
  acceptedAt: number,
  reportHash: string,
  { logId, sign } = KEY,
): KeptReceipt {
  const reports = [{ fileId, acceptedAt, reportHash }];
  const { signed, path } = signReceipts(logId, reports, sign);
  const receipt = { acceptedAt, index: 0, path: path(0), ...signed };
  return { format: 'sentinel/receipt/v1', fileId, reportHash, receipt };
}
