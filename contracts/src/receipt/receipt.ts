/** Receipts: the operator's signed promise that reports were accepted, before a batch has them (docs/formats.md). */
import { Type, type Static } from 'typebox';
import { ByteWriter, type Bytes32 } from '../bytes/byte-writer.ts';
import { equalBytes, fromHex, toHex, utf8 } from '../bytes/bytes.ts';
import { sha256Into } from '#sha256';
import { flatLevels, leafHashOf, LEAF_PREFIX, pathPlaces, rootFromInclusion } from '../log/merkle.ts';
import type { SignatureCheck } from '../log/signature-check.ts';
import { closed, CountSchema, HashSchema, MillisecondsSchema, UuidSchema } from '../schemas/common.ts';

const LEAF_DOMAIN = utf8('sentinel/receipt/v1\0');
const ROOT_DOMAIN = utf8('sentinel/receipts/v1\0');
const LEAF_BYTES = 108;
const ROOT_BYTES = 89;
const HASH_BYTES = 32;
const HASH_DIGITS = 2 * HASH_BYTES;
/** Initial capacity in leaves; most flushes have fewer. */
const FIRST_LEAVES = 64;
/** Digest of the report that is being added. */
const reportHash = new Uint8Array(HASH_BYTES);
/** Limit of a path: the reports of one signature are counted in 32 bits. */
const PATH_HASHES = 32;

/** Fields of a report that a receipt covers. */
export interface AcceptedReport {
  readonly fileId: string;
  /** H of the report's bytes as received. */
  readonly reportHash: Bytes32;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
}

/** "sentinel/receipt/v1\0" ‖ logId ‖ file ‖ reportHash ‖ acceptedAt u64: the input of `leafHash`. */
export function receiptLeaf(logId: Bytes32, report: AcceptedReport): Uint8Array {
  return writeLeaf(new ByteWriter(LEAF_BYTES), logId, report).view();
}

const writeLeaf = (writer: ByteWriter, logId: Bytes32, report: AcceptedReport): ByteWriter =>
  endLeaf(beginLeaf(writer, logId), report);

const beginLeaf = (writer: ByteWriter, logId: Bytes32): ByteWriter => writer.raw(LEAF_DOMAIN).bytes32(logId);

const endLeaf = (writer: ByteWriter, { acceptedAt, fileId, reportHash }: AcceptedReport): ByteWriter =>
  writer.uuid(fileId).bytes32(reportHash).u64(acceptedAt);

/** "sentinel/receipts/v1\0" ‖ logId ‖ count u32 ‖ root: the message that the log's key signs. */
export function receiptsMessage(logId: Bytes32, count: number, root: Bytes32): Uint8Array {
  return new ByteWriter(ROOT_BYTES).raw(ROOT_DOMAIN).bytes32(logId).u32(count).bytes32(root).view();
}

/** Place of a report among the reports that became durable together. */
const position = {
  acceptedAt: MillisecondsSchema,
  /** From 0. */
  index: CountSchema,
  path: Type.Array(HashSchema, { maxItems: PATH_HASHES }),
};
/** Signature over all these reports. */
const signed = {
  count: Type.Integer({ minimum: 1, maximum: 0xffff_ffff }),
  root: HashSchema,
  signature: Type.String({ pattern: '^[0-9a-f]{128}$', description: 'Ed25519 by the key of the log' }),
};

/** Receipt in the response to one report. */
export const ReceiptSchema = closed({ ...position, ...signed });
export type Receipt = Static<typeof ReceiptSchema>;

/** Receipt in the response to a bulk body; `lines` lists the accepted lines, counted from 1. */
export const BulkReceiptSchema = closed({
  ...signed,
  lines: Type.Array(closed({ line: CountSchema, ...position })),
});
export type BulkReceipt = Static<typeof BulkReceiptSchema>;

/** Receipts of all reports that one signature covers. */
export interface SignedReceipts {
  readonly signed: Pick<Receipt, keyof typeof signed>;
  /** Concatenated hashes of each level of the tree (`flatLevels`). */
  readonly levels: readonly Uint8Array[];
  readonly path: (index: number) => string[];
}

/**
 * Collects reports that become durable together: hashes each report when it is added, then signs all at once. One writer
 * and one array serve all leaves, because an array per report would cost more than its hash.
 */
export class ReceiptLeaves {
  readonly #logId: Bytes32;
  readonly #writer = new ByteWriter(1 + LEAF_BYTES);
  readonly #shared: number;
  /** Concatenated leaf hashes. */
  #hashes = new Uint8Array(HASH_BYTES * FIRST_LEAVES);
  #count = 0;

  constructor(logId: Bytes32) {
    this.#logId = logId;
    this.#shared = beginLeaf(this.#writer.u8(LEAF_PREFIX), logId).length;
  }

  /** Removes all reports and keeps their memory; the levels of what was signed before are no longer valid. */
  clear(): void {
    this.#count = 0;
  }

  /** Adds a report by its bytes as received. @returns the index of its leaf */
  addBytes(fileId: string, acceptedAt: number, report: Uint8Array): number {
    sha256Into(report, reportHash, 0);
    return this.add({ fileId, acceptedAt, reportHash });
  }

  /** Adds a report by its hash. @returns the index of its leaf */
  add(report: AcceptedReport): number {
    const at = HASH_BYTES * this.#count;
    if (at === this.#hashes.length) this.#grow();
    sha256Into(endLeaf(this.#writer.truncate(this.#shared), report).view(), this.#hashes, at);
    return this.#count++;
  }

  /** Signs the added reports, at least one. */
  sign(sign: (message: Uint8Array) => Uint8Array): SignedReceipts {
    const levels = flatLevels(this.#hashes.subarray(0, HASH_BYTES * this.#count));
    const signature = toHex(sign(receiptsMessage(this.#logId, this.#count, levels.at(-1)!)));
    // Converts whole levels, on the first call of `path`: a call per hash would cost more than the digits.
    let digits: readonly string[] | undefined;
    return {
      signed: { count: this.#count, root: toHex(levels.at(-1)!), signature },
      levels,
      path: (index) => pathIn((digits ??= levels.map(toHex)), index),
    };
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#hashes.length);
    grown.set(this.#hashes);
    this.#hashes = grown;
  }
}

/** Returns the receipts of reports that became durable together, at least one. */
export function signReceipts(
  logId: Bytes32,
  reports: readonly AcceptedReport[],
  sign: (message: Uint8Array) => Uint8Array,
): SignedReceipts {
  const leaves = new ReceiptLeaves(logId);
  for (const report of reports) leaves.add(report);
  return leaves.sign(sign);
}

/** Returns the inclusion path (RFC 6962 section 2.1.1). @param digits hex of the hashes of each level, leaves first */
function pathIn(digits: readonly string[], index: number): string[] {
  return pathPlaces(digits[0]!.length / HASH_DIGITS, index).map(([height, at]) =>
    digits[height]!.slice(HASH_DIGITS * at, HASH_DIGITS * (at + 1)),
  );
}

export const RECEIPT_FORMAT = 'sentinel/receipt/v1';
export const RECEIPT_LIMITS = { documentBytes: 16_384, nesting: 3 } as const;

/** Receipt with its file and report, as the holder stores it. */
export const KeptReceiptSchema = closed({
  format: Type.Literal(RECEIPT_FORMAT),
  fileId: UuidSchema,
  reportHash: HashSchema,
  receipt: ReceiptSchema,
});
export type KeptReceipt = Static<typeof KeptReceiptSchema>;

/** Returns true when the log's key signed that this report was accepted at this time. The receipt is untrusted. */
export async function verifyReceipt(
  { fileId, receipt, reportHash }: KeptReceipt,
  { logId, publicKey }: { readonly logId: Uint8Array; readonly publicKey: Uint8Array },
  verify: SignatureCheck,
): Promise<boolean> {
  const { acceptedAt, count, index, path, root, signature } = receipt;
  const leaf = leafHashOf((writer) => writeLeaf(writer, logId, { fileId, reportHash, acceptedAt }));
  const found = rootFromInclusion(leaf, index, count, path.map(fromHex));
  if (found === undefined || !equalBytes(found, fromHex(root))) return false;
  return verify(receiptsMessage(logId, count, found), fromHex(signature), publicKey);
}
