import { generateKeyPairSync, sign } from 'node:crypto';
import {
  bodyHash,
  encodeBatchHeader,
  fromHex,
  leafData,
  leafHash,
  linkHashHex,
  logIdOf,
  mapKey,
  PROOF_FORMAT,
  RECEIPT_FORMAT,
  sha256,
  signCheckpoint,
  signReceipts,
  toHex,
  ZERO_HASH,
  type KeptReceipt,
  type Proof,
  type ProofEntry,
  type ProofTrust,
} from '@sentinel-node/contracts';

/** DER prefix of an Ed25519 public key (RFC 8410), before its 32 bytes. */
const SPKI_PREFIX_BYTES = 12;
const ORIGIN = 'example.org/log';

/** A log with a key of its own that signs whatever a test wishes, also what contradicts itself. */
export class SignedLog {
  readonly trust: ProofTrust;
  readonly #logId: Uint8Array;
  readonly #publicKey: Uint8Array;
  readonly #sign: (message: Uint8Array) => Uint8Array;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#sign = (message) => sign(null, message, privateKey);
    this.#publicKey = publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX_BYTES);
    this.#logId = logIdOf(this.#publicKey);
    const key = toHex(this.#publicKey);
    this.trust = { origin: ORIGIN, publicKey: key, network: 'main', genesisTxid: '11'.repeat(32) };
  }

  /** Returns a proof of the entry without a batch, which is not signed. The link hash is made anew. */
  pending(file: string, entry: ProofEntry): Proof {
    const { linkHash: _, number, previous, ...fields } = entry;
    const logId = toHex(this.#logId);
    const place = { logId, subjectType: 'FILE', subject: file, number, previous } as const;
    return {
      ...{ format: PROOF_FORMAT, state: 'PENDING', completeness: 'NOT_SHOWN' },
      log: { logId, origin: ORIGIN, keyFingerprint: toHex(sha256(this.#publicKey)) },
      subject: { type: 'FILE', id: file },
      entry: { ...entry, linkHash: linkHashHex({ ...place, bodyHash: bodyHash(fields) }) },
      ...{ batch: null, transaction: null, block: null },
    };
  }

  /** Returns a proof of the entry as the only one of batch 0, under a signed checkpoint. */
  cut(file: string, entry: ProofEntry): Proof {
    const pending = this.pending(file, entry);
    const { linkHash, number } = pending.entry;
    const leaf = leafHash(leafData(mapKey(toHex(this.#logId), 'FILE', file), number, linkHash));
    const header = encodeBatchHeader({
      ...{ logId: this.#logId, batch: 0, previousHash: ZERO_HASH, closedAt: entry.acceptedAt },
      ...{ leafCount: 1, leafRoot: leaf, mapSize: 0, mapRoot: ZERO_HASH, totalLeaves: 1 },
    });
    const root = leafHash(header);
    const checkpoint = signCheckpoint({ origin: ORIGIN, size: 1, root }, this.#publicKey, this.#sign);
    const paths = { leafHash: toHex(leaf), leafIndex: 0, leafPath: [], logPath: [] };
    return { ...pending, state: 'CUT', batch: { ...paths, header: toHex(header), checkpoint } };
  }

  /** Returns the receipt of a report. */
  receipt(fileId: string, reportHash: string, acceptedAt: number): KeptReceipt {
    const report = { fileId, reportHash: fromHex(reportHash), acceptedAt };
    const { path, signed } = signReceipts(this.#logId, [report], this.#sign);
    const receipt = { acceptedAt, index: 0, path: path(0), ...signed };
    return { format: RECEIPT_FORMAT, fileId, reportHash, receipt };
  }
}
