import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import * as script from '../src/ledger/anchor-script.ts';
import * as header from '../src/log/batch-header.ts';
import { leafData, mapKey, sortLeaves } from '../src/log/batch-leaves.ts';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { reportDigest, reportSubstanceJson } from '../src/bytes/canonical-json.ts';
import * as checkpoint from '../src/log/checkpoint.ts';
import * as hashes from '../src/hashes.ts';
import { consistencyPath } from '../src/log/merkle-consistency.ts';
import { inclusionPath, leafHash, merkleRoot } from '../src/log/merkle.ts';
import { receiptLeaf, receiptsMessage } from '../src/receipt/receipt.ts';
import { bundleVectors } from './bundle-vectors.ts';
import { ED25519_CASES, ED25519_MESSAGE } from './ed25519-cases.ts';
import { idVectors, partitions } from './id-vectors.ts';
import { proofVectors, unsignedVectors, type LogInputs } from './proof-vectors.ts';
import { recordVectors } from './record-vectors.ts';
import { sealVectors } from './seal-vectors.ts';
import * as given from './vector-inputs.ts';

// PKCS #8 prefix of a raw Ed25519 seed (RFC 8410).
const PKCS8_ED25519 = '302e020100300506032b657004220420';
const privateKey = createPrivateKey({
  key: Buffer.from(PKCS8_ED25519 + given.LOG_KEY_SEED, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = new Uint8Array(
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32),
);
const logId = checkpoint.logIdOf(publicKey);

export type Leaf = { mapKey: Uint8Array; number: number; linkHash: Uint8Array };

function chainOf(
  subject: string,
  subjectType: 'FILE' | 'DEVICE' | 'ORG',
  bodies: readonly hashes.EntryBody[],
) {
  let previous: Uint8Array | undefined;
  return bodies.map((body, number) => {
    const bodyHash = hashes.bodyHash(body);
    const input = { logId, subjectType, subject, number, bodyHash, ...(previous && { previous }) };
    const link = hashes.linkHash(input);
    previous = link;
    return { body, number, bodyHash, linkBytes: hashes.encodeLink(input), linkHash: link };
  });
}

function chains() {
  return {
    note: 'kind by kind: body bytes, body hash, link bytes, link hash of one chain',
    logId: toHex(logId),
    subjectType: 'FILE',
    subject: given.FILES[0],
    entries: chainOf(given.FILES[0], 'FILE', given.CHAIN).map((entry) => ({
      number: entry.number,
      body: { ...entry.body, nonce: toHex(entry.body.nonce) },
      bodyBytes: toHex(hashes.encodeBody(entry.body)),
      bodyHash: toHex(entry.bodyHash),
      linkBytes: toHex(entry.linkBytes),
      linkHash: toHex(entry.linkHash),
    })),
  };
}

function parts() {
  return {
    emptyContentHash: hashes.EMPTY_CONTENT_HASH,
    nonces: [0, 1, 2, 4_294_967_295].map((index) => ({
      recordNonce: toHex(given.RECORD_NONCE),
      index,
      nonce: toHex(hashes.entryNonce(given.RECORD_NONCE, index)),
    })),
    policies: given.POLICIES.map((policy) => ({
      policy,
      bytes: toHex(hashes.encodePolicy(policy)),
      policyHash: hashes.policyHash(policy),
    })),
    notes: given.NOTES.map((note) => ({ note, noteHash: hashes.noteHash(note) })),
    reports: given.REPORTS.map((report) => ({
      report,
      digest: reportDigest(report),
      canonical: reportSubstanceJson(report),
    })),
  };
}

/** Returns leaves of three subjects in four batches; one batch has a single leaf, one has none. */
function recordedParts(): readonly Leaf[][] {
  const leaves = [given.FILES[0], given.FILES[1]].flatMap((file) => leavesOf(file, 'FILE', 7));
  leaves.push(...leavesOf(given.DEVICE, 'DEVICE', 5), ...leavesOf(given.ORG, 'ORG', 2));
  return [leaves.slice(0, 7), leaves.slice(7, 8), [], leaves.slice(8)];
}

function batches(parts: readonly (readonly Leaf[])[]) {
  const encoded: Uint8Array[] = [];
  let totalLeaves = 0;
  return parts.map((part, batch) => {
    const sorted = sortLeaves(part);
    const leafHashes = sorted.map((leaf) => leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)));
    totalLeaves += sorted.length;
    const previous = encoded.at(-1);
    const fields = {
      logId,
      batch,
      previousHash: previous ? header.batchHeaderHash(previous) : hashes.ZERO_HASH,
      closedAt: Date.UTC(2026, 10, 21, 10, batch),
      leafCount: sorted.length,
      leafRoot: merkleRoot(leafHashes),
      mapSize: 0,
      mapRoot: hashes.ZERO_HASH,
      totalLeaves,
    };
    const bytes = header.encodeBatchHeader(fields);
    encoded.push(bytes);
    return batchVector({ fields, sorted, leafHashes, bytes, root: header.logRoot(encoded) });
  });
}

/** Returns the leaves of the first entries of a subject. */
export function leavesOf(subject: string, subjectType: 'FILE' | 'DEVICE' | 'ORG', count: number): Leaf[] {
  const key = mapKey(logId, subjectType, subject);
  return chainOf(subject, subjectType, given.CHAIN.slice(0, count)).map(({ number, linkHash }) => ({
    mapKey: key,
    number,
    linkHash,
  }));
}

function batchVector(of: {
  fields: header.BatchHeader;
  sorted: Leaf[];
  leafHashes: Uint8Array[];
  bytes: Uint8Array;
  root: Uint8Array;
}) {
  const headerHash = header.batchHeaderHash(of.bytes);
  const anchor = { logId, batch: of.fields.batch, headerHash, logRoot: of.root };
  return {
    header: hexFields(of.fields),
    leaves: of.sorted.map((leaf, i) => ({
      ...hexFields(leaf),
      data: toHex(leafData(leaf.mapKey, leaf.number, leaf.linkHash)),
      leafHash: toHex(of.leafHashes[i]!),
      path: inclusionPath(of.leafHashes, i).map(toHex),
    })),
    headerBytes: toHex(of.bytes),
    headerHash: toHex(headerHash),
    logRoot: toHex(of.root),
    anchorScript: toHex(script.encodeAnchorScript(anchor)),
  };
}

function log(parts: readonly (readonly Leaf[])[] = recordedParts()) {
  const all = batches(parts);
  const headers = all.map(({ headerBytes }) => leafHash(fromHex(headerBytes)));
  const pairs = all.flatMap((_, to) => all.slice(0, to + 1).map((_, from) => [from + 1, to + 1] as const));
  return {
    publicKey: toHex(publicKey),
    logId: toHex(logId),
    mapKeys: [
      { subjectType: 'ORG', subject: given.ORG, mapKey: toHex(mapKey(logId, 'ORG', given.ORG)) },
      { subjectType: 'DEVICE', subject: given.DEVICE, mapKey: toHex(mapKey(logId, 'DEVICE', given.DEVICE)) },
      ...given.FILES.map((file) => ({
        subjectType: 'FILE',
        subject: file,
        mapKey: toHex(mapKey(logId, 'FILE', file)),
      })),
    ],
    batches: all,
    consistency: pairs.map(([from, to]) => ({
      from,
      to,
      path: consistencyPath(headers.slice(0, to), from).map(toHex),
    })),
    checkpoints: all.map(({ logRoot }, batch) => checkpointVector(batch + 1, fromHex(logRoot))),
  };
}

function checkpointVector(size: number, root: Uint8Array) {
  const origin = checkpoint.defaultLogOrigin(logId);
  const signed = checkpoint.signCheckpoint({ origin, size, root }, publicKey, (message) =>
    sign(null, message, privateKey),
  );
  return {
    origin,
    size,
    root: toHex(root),
    verifierKey: checkpoint.noteVerifierKey(origin, publicKey),
    note: signed,
  };
}

/** Returns a log of the key of the vectors. @param parts leaves of each batch */
export function logInputs(parts?: readonly (readonly Leaf[])[]): LogInputs {
  const all = log(parts);
  const headers = all.batches.map(({ headerBytes }) => leafHash(fromHex(headerBytes)));
  return {
    publicKey: all.publicKey,
    logId: all.logId,
    batches: all.batches.map(({ headerBytes, anchorScript, leaves }, batch) => ({
      headerBytes,
      anchorScript,
      leaves: leaves as unknown as { linkHash: string; leafHash: string; path: string[] }[],
      logPath: inclusionPath(headers.slice(0, batch + 1), batch).map(toHex),
      note: all.checkpoints[batch]!.note,
    })),
    links: given.FILES.map((file) =>
      chainOf(file, 'FILE', given.CHAIN).map(({ linkHash }) => toHex(linkHash)),
    ),
  };
}

/** Makes receipts of one, three and five reports. */
function receipts() {
  return [1, 3, 5].map((count) => {
    const reports = Array.from({ length: count }, (_, i) => ({
      fileId: given.FILES[i % 2]!,
      reportHash: toHex(leafHash(Uint8Array.of(count, i))),
      acceptedAt: Date.UTC(2026, 10, 21, 10) + i,
    }));
    const data = reports.map((report) => receiptLeaf(logId, report));
    const leaves = data.map(leafHash);
    const root = toHex(merkleRoot(leaves));
    const message = receiptsMessage(logId, count, root);
    const signature = toHex(new Uint8Array(sign(null, message, privateKey)));
    return {
      publicKey: toHex(publicKey),
      message: toHex(message),
      receipts: reports.map(({ fileId, reportHash, acceptedAt }, index) => ({
        leafData: toHex(data[index]!),
        kept: {
          format: 'sentinel/receipt/v1',
          fileId,
          reportHash,
          receipt: {
            acceptedAt,
            index,
            count,
            path: inclusionPath(leaves, index).map(toHex),
            root,
            signature,
          },
        },
      })),
    };
  });
}

/** Makes RFC 6962 trees of 0 to 33 leaves; the data of a leaf are one byte, its number. */
function trees() {
  const leaves = Array.from({ length: 33 }, (_, i) => leafHash(Uint8Array.of(i)));
  return { roots: Array.from({ length: 34 }, (_, size) => toHex(merkleRoot(leaves.slice(0, size)))) };
}

function hexFields<T extends object>(fields: T): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Uint8Array ? toHex(value) : value]),
  );
}

/** Returns the content of each file in `contracts/vectors`, by name. */
export async function buildVectors(): Promise<Record<string, unknown>> {
  return {
    'parts.json': parts(),
    'chain.json': chains(),
    'log.json': log(),
    'proof.json': proofVectors(logInputs()),
    'unsigned.json': unsignedVectors(logInputs()),
    'bundle.json': bundleVectors(logInputs()),
    'seals.json': await sealVectors(logInputs()),
    'receipts.json': receipts(),
    'signatures.json': { message: ED25519_MESSAGE, cases: ED25519_CASES },
    'merkle.json': trees(),
    'ids.json': idVectors(),
    'partitioner.json': partitions(),
    'records.json': recordVectors(),
  };
}
