/** Receipts: the operator's signed word that reports were accepted, before any batch holds them (docs/formats.md). */
import { Type, type Static } from 'typebox';
import { ByteWriter, type Bytes32 } from './byte-writer.ts';
import { equalBytes, fromHex, toHex, utf8 } from './bytes.ts';
import { sha256Into } from '#sha256';
import { flatLevels, leafHashOf, LEAF_PREFIX, rootFromInclusion } from './merkle.ts';
import type { SignatureCheck } from './proof-check-batch.ts';
import { closed, CountSchema, HashSchema, MillisecondsSchema, UuidSchema } from './schemas/common.ts';

const LEAF_DOMAIN = utf8('sentinel/receipt/v1\0');
const ROOT_DOMAIN = utf8('sentinel/receipts/v1\0');
const LEAF_BYTES = 108;
const ROOT_BYTES = 89;
const HASH_BYTES = 32;
const HASH_DIGITS = 2 * HASH_BYTES;
/** Leaves that have room at once: most flushes have fewer. */
const FIRST_LEAVES = 64;
/** Digest of the report that is being added. */
const reportHash = new Uint8Array(HASH_BYTES);
/** Reports that one signature covers are counted in 32 bits. */
const PATH_HASHES = 32;

/** A report as a receipt covers it. */
export interface AcceptedReport {
  readonly fileId: string;
  /** H of the report's bytes as received. */
  readonly reportHash: Bytes32;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
}

/** "sentinel/receipt/v1\0" ‖ logId ‖ file ‖ reportHash ‖ acceptedAt u64: what `leafHash` takes. */
export function receiptLeaf(logId: Bytes32, report: AcceptedReport): Uint8Array {
  return writeLeaf(new ByteWriter(LEAF_BYTES), logId, report).view();
}

const writeLeaf = (writer: ByteWriter, logId: Bytes32, report: AcceptedReport): ByteWriter =>
  endLeaf(beginLeaf(writer, logId), report);

const beginLeaf = (writer: ByteWriter, logId: Bytes32): ByteWriter => writer.raw(LEAF_DOMAIN).bytes32(logId);

const endLeaf = (writer: ByteWriter, { acceptedAt, fileId, reportHash }: AcceptedReport): ByteWriter =>
  writer.uuid(fileId).bytes32(reportHash).u64(acceptedAt);

/** "sentinel/receipts/v1\0" ‖ logId ‖ count u32 ‖ root: what the log's key signs. */
export function receiptsMessage(logId: Bytes32, count: number, root: Bytes32): Uint8Array {
  return new ByteWriter(ROOT_BYTES).raw(ROOT_DOMAIN).bytes32(logId).u32(count).bytes32(root).view();
}

/** Where a report stands among those that became durable together. */
const position = {
  acceptedAt: MillisecondsSchema,
  /** From 0. */
  index: CountSchema,
  path: Type.Array(HashSchema, { maxItems: PATH_HASHES }),
};
/** What was signed of all of them. */
const signed = {
  count: Type.Integer({ minimum: 1, maximum: 0xffff_ffff }),
  root: HashSchema,
  signature: Type.String({ pattern: '^[0-9a-f]{128}$', description: 'Ed25519 by the key of the log' }),
};

/** As an answer to a report carries it. */
export const ReceiptSchema = closed({ ...position, ...signed });
export type Receipt = Static<typeof ReceiptSchema>;

/** As an answer to a bulk body carries it: `lines` names those that were taken, each counted from 1. */
export const BulkReceiptSchema = closed({
  ...signed,
  lines: Type.Array(closed({ line: CountSchema, ...position })),
});
export type BulkReceipt = Static<typeof BulkReceiptSchema>;

/** What one signature gives the reports that it covers. */
export interface SignedReceipts {
  readonly signed: Pick<Receipt, keyof typeof signed>;
  /** The hashes of each level of the tree, one after the other (`flatLevels`). */
  readonly levels: readonly Uint8Array[];
  readonly path: (index: number) => string[];
}

/**
 * Reports that became durable together: each is hashed when it comes, then one signature covers all. One writer and one
 * array serve all leaves, because an array for each report costs more than its hash.
 */
export class ReceiptLeaves {
  readonly #logId: Bytes32;
  readonly #writer = new ByteWriter(1 + LEAF_BYTES);
  readonly #shared: number;
  /** Leaf hashes, one after the other. */
  #hashes = new Uint8Array(HASH_BYTES * FIRST_LEAVES);
  #count = 0;

  constructor(logId: Bytes32) {
    this.#logId = logId;
    this.#shared = beginLeaf(this.#writer.u8(LEAF_PREFIX), logId).length;
  }

  get count(): number {
    return this.#count;
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

  /** Signs what was added; one report at least. */
  sign(sign: (message: Uint8Array) => Uint8Array): SignedReceipts {
    const levels = flatLevels(this.#hashes.subarray(0, HASH_BYTES * this.#count));
    const signature = toHex(sign(receiptsMessage(this.#logId, this.#count, levels.at(-1)!)));
    // A level at once, when a path is wanted: a call for each hash costs more than its digits.
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

/** The receipts of reports that became durable together; one at least. */
export function signReceipts(
  logId: Bytes32,
  reports: readonly AcceptedReport[],
  sign: (message: Uint8Array) => Uint8Array,
): SignedReceipts {
  const leaves = new ReceiptLeaves(logId);
  for (const report of reports) leaves.add(report);
  return leaves.sign(sign);
}

/** Inclusion path (RFC 6962 section 2.1.1). @param digits of the hashes of each level, the leaves first */
function pathIn(digits: readonly string[], index: number): string[] {
  const path: string[] = [];
  let at = index;
  for (let height = 0; height + 1 < digits.length; height++) {
    const level = digits[height]!;
    const start = HASH_DIGITS * (at ^ 1);
    // A node without a sibling is carried up unchanged.
    if (start < level.length) path.push(level.slice(start, start + HASH_DIGITS));
    at >>>= 1;
  }
  return path;
}

export const RECEIPT_FORMAT = 'sentinel/receipt/v1';
export const RECEIPT_LIMITS = { documentBytes: 16_384, nesting: 3 } as const;

/** A receipt with what it is of, as its holder keeps it. */
export const KeptReceiptSchema = closed({
  format: Type.Literal(RECEIPT_FORMAT),
  fileId: UuidSchema,
  reportHash: HashSchema,
  receipt: ReceiptSchema,
});
export type KeptReceipt = Static<typeof KeptReceiptSchema>;

/** Whether the key of the log signed that this report was accepted at this time. Everything in `kept` is untrusted. */
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
