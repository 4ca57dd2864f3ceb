/** Finds the entry that a receipt promised. */
import { equalBytes, verifyReceipt, type KeptReceipt } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore, type LogKey } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { type LinkView, VIEWS } from '../views/index.ts';
import { findEntry, type FoundEntry } from './entry.ts';
import { PROOF_WORK } from './limits.ts';

/**
 * Checks the receipt's signature.
 * @throws ApiError VALIDATION_FAILED for a receipt that the key of this log did not sign
 */
export async function confirmReceipt(kept: KeptReceipt, logKey: LogKey): Promise<void> {
  // Ed25519 signatures are deterministic (RFC 8032), so signing again checks the signature.
  const isOurs = await verifyReceipt(kept, logKey, (message, signature) =>
    equalBytes(logKey.sign(message), signature),
  );
  if (!isOurs) throw new ApiError('VALIDATION_FAILED', { detail: 'The receipt was not signed by this log.' });
}

type ReceiptContext = Pick<QueryContext, 'store' | 'eventLog'>;

/**
 * Returns the entry of the promised report: of the acceptance that the receipt names, or of another one of the same report,
 * which makes one entry however often it is sent.
 * @throws ApiError NOT_FOUND while the report is not judged or makes no link; UNAVAILABLE (try again)
 */
export async function entryOfReceipt(context: ReceiptContext, kept: KeptReceipt): Promise<FoundEntry> {
  const found = (await entryOfAcceptance(context, kept)) ?? (await entryOfOther(context, kept));
  if (found === undefined) throw new ApiError('NOT_FOUND', { detail: 'There is no link of this report.' });
  return found;
}

/** The links of a file are in the order of acceptance, apart from the clock difference between ingestion processes. */
async function entryOfAcceptance(
  context: ReceiptContext,
  { fileId, receipt, reportHash }: KeptReceipt,
): Promise<FoundEntry | undefined> {
  const { acceptedAt } = receipt;
  const first = await firstLinkFrom(context.store, fileId, acceptedAt - PROOF_WORK.receiptSkewMs);
  let looked = 0;
  for await (const link of linksFrom(context.store, fileId, first)) {
    if (link.timestamp > acceptedAt + PROOF_WORK.receiptSkewMs) break;
    looked += 1;
    if (looked > PROOF_WORK.receiptLinks)
      throw new ApiError('UNAVAILABLE', {
        detail: 'Too many links of the file are of this time to look through.',
      });
    if (link.timestamp !== acceptedAt) continue;
    const found = await findEntry(context, fileId, link.id);
    if (found.entry.reportHash === reportHash) return found;
  }
  return undefined;
}

/** Looks through the newest links that are not later than the receipt: whoever sends a report again does so before the next. */
async function entryOfOther(
  context: ReceiptContext,
  { fileId, receipt, reportHash }: KeptReceipt,
): Promise<FoundEntry | undefined> {
  const { receiptEarlier, receiptSkewMs } = PROOF_WORK;
  const end = await firstLinkFrom(context.store, fileId, receipt.acceptedAt + receiptSkewMs + 1);
  const links = await linksUpTo(context.store, fileId, end - 1, receiptEarlier);
  for (const link of links) {
    const found = await findEntry(context, fileId, link.id);
    if (found.entry.reportHash === reportHash) return found;
  }
  return undefined;
}

/** Returns the number of the first link accepted at `from` (ms since 1970) or later, or of a link shortly before it. */
async function firstLinkFrom(store: DocumentStore, fileId: string, from: number): Promise<number> {
  const newest = await linkUpTo(store, fileId, Number.MAX_SAFE_INTEGER);
  let low = 0;
  let high = (newest?.number ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const link = await linkUpTo(store, fileId, middle);
    if (link === undefined || link.timestamp < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the link with the highest number up to `number`; numbers between links belong to other entries. */
async function linkUpTo(store: DocumentStore, fileId: string, number: number): Promise<LinkView | undefined> {
  return (await linksUpTo(store, fileId, number, 1))[0];
}

async function linksUpTo(
  store: DocumentStore,
  fileId: string,
  number: number,
  limit: number,
): Promise<readonly LinkView[]> {
  return store.find(VIEWS.links, {
    where: { fileId, number: { lte: number } },
    sort: { field: 'number', direction: 'desc' },
    limit,
  });
}

async function* linksFrom(store: DocumentStore, fileId: string, first: number): AsyncGenerator<LinkView> {
  for (let from = first; ;) {
    const page = await store.find(VIEWS.links, {
      where: { fileId, number: { gte: from } },
      sort: { field: 'number', direction: 'asc' },
      limit: PROOF_WORK.receiptPage,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PROOF_WORK.receiptPage) return;
    from = last.number + 1;
  }
}
