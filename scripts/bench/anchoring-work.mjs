// The work of anchoring without servers and stores, in a process of its own. Times are processor time in milliseconds.
import { hash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  encodeAnchorScript,
  encodeChainRecord,
  fromHex,
  mapKey,
  toHex,
  TOPICS,
  uuidV7,
  verifyInclusion,
} from '@sentinel-node/contracts';
import { verifySpend } from '@sentinel-node/contracts/ledger-spend';
import { logKeyOf } from '@sentinel-node/platform';
import { compareBatch, publicKeyHashOf } from '@sentinel-node/anchoring';
import { buildCut, EMPTY_LOG } from '../../services/anchoring/dist/src/domain/build-cut.js';
import { newEntries, Pending } from '../../services/anchoring/dist/src/domain/pending.js';
import { parseChainRecord } from '../../services/anchoring/dist/src/parse-record.js';
import { signAnchor } from '../../services/anchoring/dist/src/transaction/sign-anchor.js';
import { checkBatches } from '../../services/all-in-one/dist/src/audit/check-batches.js';
import { Findings } from '../../services/all-in-one/dist/src/audit/finding.js';
import { Receipts } from '../../services/ingestion/dist/src/receipts.js';
import { LeafCollector } from '../../services/query/dist/src/proofs/leaf-collector.js';
import { LeafTree } from '../../services/query/dist/src/proofs/leaf-tree.js';
import { answerCalls } from './child.mjs';
import { newFile, nextReport } from './reports.mjs';
import { SECRET } from './open.mjs';

const KEY = logKeyOf(SECRET);
const FUNDS = { privateKey: '11'.repeat(32), satoshis: 100_000_000, policy: { satoshis: 100, bytes: 1_000 } };
const ENTRIES_PER_FILE = 10;
const HASH_BYTES = 32;
const MICROSECONDS_PER_MS = 1_000;
/** Bytes to hash: a leaf and a node of a tree (RFC 6962), and a leaf of receipts. */
const LEAF = new Uint8Array(90);
const NODE = new Uint8Array(65);
const RECEIPT_LEAF = new Uint8Array(109);
/** Length of the signed message for the reports of one turn (docs/formats.md). */
const ROOT_MESSAGE_BYTES = 89;
/** Repetitions of each measurement of receipts. */
const RECEIPT_ROUNDS = 200;

const yieldTurn = () => setImmediate();
const newHash = () => randomBytes(32).toString('hex');
const newId = () => uuidV7(Date.now(), randomBytes(10));
const [ORG_ID, DEVICE_ID] = [newId(), newId()];

async function timed(work) {
  const before = process.cpuUsage();
  const value = await work();
  const { system, user } = process.cpuUsage(before);
  return { value, ms: (user + system) / MICROSECONDS_PER_MS };
}

/** The hashes alone, in the cheapest form. */
function hashTimes(bytes, times) {
  for (let n = 0; n < times; n += 1) hash('sha256', bytes, 'binary');
}
const hashTree = (leaves) => {
  hashTimes(LEAF, leaves);
  hashTimes(NODE, leaves - 1);
};

/**
 * Makes records of the log with one entry each, as the verifier writes them. The entries of a file are far apart, as in a
 * log of many files.
 */
function recordsOf(leaves) {
  const files = Array.from({ length: Math.ceil(leaves / ENTRIES_PER_FILE) }, newId);
  return Array.from({ length: leaves }, (_, offset) => {
    const number = Math.floor(offset / files.length);
    const body = encodeChainRecord(chainRecord(files[offset % files.length], number)).slice();
    return { partition: 0, offset, body };
  });
}

/** Reads records as the cutter does. */
function collectedOf(records) {
  const pending = new Pending(new Map());
  for (const record of records) {
    const { fileId, entries } = parseChainRecord(record);
    pending.add(record, fileId, newEntries(entries, pending.lastNumber(fileId) ?? -1), (at) => at);
  }
  return pending.collected();
}

let records;
let collected;

/** Measures pairs of the root and its hashes in turns. The first pair, before anything is compiled, does not count. */
async function roots({ pairs }) {
  const found = { collecting: [], hashing: [], root: [] };
  for (let pair = 0; pair <= pairs; pair += 1) {
    const collecting = await timed(() => collectedOf(records));
    collected = collecting.value;
    const hashing = await timed(() => hashTree(records.length));
    const root = await timed(cutOfAll);
    if (pair === 0) continue;
    found.collecting.push(collecting.ms);
    found.hashing.push(hashing.ms);
    found.root.push(root.ms);
  }
  return found;
}

const cutOfAll = () => buildCut(KEY.logId, EMPTY_LOG, collected, Date.now(), yieldTurn);

async function batch({ proofs: wanted }) {
  const { cut } = await cutOfAll();
  const signed = await timed(() => signedOf(cut, [funding()]));
  const tree = await timed(() => treeOf(cut));
  const paths = await timed(() => pathsOf(tree.value, wanted));
  const checked = await timed(() => checkPaths(cut, paths.value));
  return { signed: signed.ms, paths: paths.ms, proofs: tree.ms + paths.ms + checked.ms };
}

async function treeOf({ leafCount }) {
  const collector = new LeafCollector(KEY.logId, leafCount);
  for (const [file, { offsets }] of collected.runs)
    for (const [number, offset] of offsets.entries())
      collector.take(file, {
        number,
        linkHash: toHex(collected.linkHashes.subarray(offset, offset + HASH_BYTES)),
      });
  return LeafTree.of(await collector.sort(yieldTurn), yieldTurn);
}

function pathsOf(tree, wanted) {
  const files = [...collected.runs.keys()];
  return Array.from({ length: wanted }, (_, n) => {
    const index = tree.indexOf(mapKey(KEY.logId, 'FILE', files[n % files.length]), 0);
    return { index, leaf: tree.leafHash(index), path: tree.path(index) };
  });
}

function checkPaths({ leafCount, leafRoot }, paths) {
  const root = fromHex(leafRoot);
  for (const { index, leaf, path } of paths)
    if (!verifyInclusion(leaf, index, leafCount, path, root))
      throw new Error(`leaf ${index} is not in the batch`);
}

const signedOf = ({ batch: number, headerHash, logRoot }, spend) =>
  signAnchor({
    script: encodeAnchorScript({ logId: KEY.logId, batch: number, headerHash, logRoot }),
    spend,
    privateKey: FUNDS.privateKey,
    policy: FUNDS.policy,
  });

/** Returns a transaction with the output that the first anchor spends. */
function funding() {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(BigInt(FUNDS.satoshis));
  const script = `76a914${publicKeyHashOf(FUNDS.privateKey)}88ac`;
  const input = `01${'22'.repeat(32)}000000000151ffffffff`;
  return { rawTx: `01000000${input}01${value.toString('hex')}19${script}00000000`, outputIndex: 0 };
}

let recorded;

/** Makes a log of batches of `ENTRIES_PER_FILE` entries each. The first `transactions` batches have a signed transaction. */
async function log({ batches, transactions }) {
  const files = Array.from({ length: batches }, newId);
  const [chain, anchors, documents] = [[], [], []];
  let before = EMPTY_LOG;
  for (const [number, fileId] of files.entries()) {
    const pending = new Pending(new Map([[0, chain.length]]));
    for (let n = 0; n < ENTRIES_PER_FILE; n += 1) {
      const offset = chain.length;
      const record = chainRecord(fileId, n);
      chain.push({
        key: fileId,
        id: `${fileId}:${record.rev}`,
        offset,
        body: Buffer.from(JSON.stringify(record)),
      });
      pending.add({ partition: 0, offset }, fileId, record.entries, (at) => at);
    }
    const built = await buildCut(KEY.logId, before, pending.collected(), Date.now(), yieldTurn);
    before = built.log;
    const record = { v: 1, batch: number, rev: 1, at: Date.now(), cut: built.cut, transaction: null };
    const body = Buffer.from(JSON.stringify(record));
    anchors.push({ key: String(number), id: `${number}/${record.rev}`, offset: number, body });
    if (number < transactions) documents.push(await documentOf(built.cut, documents.at(-1)));
  }
  const topics = { [TOPICS.chain]: chain, [TOPICS.anchors]: anchors };
  recorded = { batches, documents, eventLog: inMemory(topics) };
}

function chainRecord(fileId, number) {
  const entry = {
    id: newId(),
    number,
    kind: 'LINK',
    nonce: newHash().slice(32),
    acceptedAt: Date.now(),
    versionIndex: 0,
    contentHash: newHash(),
    length: number,
    policyHash: newHash(),
    reportHash: newHash(),
    linkHash: newHash(),
    firstHash: false,
  };
  return {
    v: 1,
    rules: 1,
    orgId: ORG_ID,
    deviceId: DEVICE_ID,
    fileId,
    rev: number,
    timestamp: 0,
    category: 'MISSION_CRITICAL',
    entries: [entry],
    alerts: [],
    events: [],
    file: null,
  };
}

async function documentOf(cut, before) {
  const spend = before === undefined ? funding() : { rawTx: before.rawTx, outputIndex: 1 };
  const signed = await signedOf(cut, [spend]);
  const { batch } = cut;
  return { ...signed, cut, batch, record: { batch, cut, transaction: { txid: signed.txid } } };
}

const inMemory = (topics) => ({
  bounds: async (topic) => [{ partition: 0, start: 0, end: topics[topic].length }],
  async *read(topic, partition, from, to) {
    for (let at = from; at < to; at += 1_000)
      yield { topic, partition, records: topics[topic].slice(at, Math.min(to, at + 1_000)) };
  },
});

async function audit() {
  const { batches, documents, eventLog } = recorded;
  const hashing = await timed(() => {
    for (let n = 0; n < batches; n += 1) hashTree(ENTRIES_PER_FILE);
  });
  const findings = new Findings();
  const roots = new Map();
  const onBatch = async ({ cut }, logRoot) => void roots.set(cut.batch, logRoot);
  const onRecorded = async () => {};
  const made = await timed(() => checkBatches({ eventLog, logId: KEY.logId, findings, onBatch, onRecorded }));
  if (made.value.count !== batches || findings.count > 0) throw new Error('the audit found a difference');
  const signature = await timed(() => documents.forEach(checkSignature));
  const compared = await timed(() => compareAll(documents, roots));
  return {
    hashing: hashing.ms,
    made: made.ms,
    signature: signature.ms / documents.length,
    compared: compared.ms / documents.length,
  };
}

function compareAll(documents, roots) {
  let before;
  for (const document of documents) {
    const { cut } = document;
    const { difference, tip } = compareBatch({
      before,
      cut,
      document,
      logId: KEY.logId,
      logRoot: roots.get(cut.batch),
    });
    if (difference !== undefined) throw new Error(`batch ${cut.batch}: ${difference}`);
    before = tip;
  }
}

function checkSignature({ rawTx }, at, documents) {
  const script = fromHex(`76a914${publicKeyHashOf(FUNDS.privateKey)}88ac`);
  const satoshis = at === 0 ? FUNDS.satoshis : documents[at - 1].funds;
  if (!verifySpend({ raw: fromHex(rawTx), inputIndex: 0, spent: { satoshis, script } }))
    throw new Error(`the signature of batch ${at} does not hold`);
}

/**
 * Returns microseconds a report: for the hashes of a receipt; for its share of a signature of `singles` reports; for
 * receipts as the text of a bulk answer; and for receipts of single reports, `singles` of which become durable in a turn.
 */
async function receipts({ count, singles }) {
  const reports = Array.from({ length: count }, () =>
    Buffer.from(nextReport(newFile(newId()), { line: true })),
  );
  const fileId = newId();
  const given = new Receipts(KEY);
  const body = Buffer.concat(reports);
  const round = () => {
    let end = 0;
    const lines = reports.map(({ length }, line) => {
      end += length;
      return { line, fileId, acceptedAt: Date.now(), start: end - length, end };
    });
    return given.bulk({ accepted: count, rejected: [] }, lines, body);
  };
  round();
  const hashing = await timed(() => {
    for (let n = 0; n < RECEIPT_ROUNDS; n += 1) {
      for (const report of reports) hash('sha256', report, 'binary');
      hashTimes(RECEIPT_LEAF, count);
      hashTimes(NODE, count - 1);
    }
  });
  const made = await timed(() => {
    for (let n = 0; n < RECEIPT_ROUNDS; n += 1) round();
  });
  const turns = Math.ceil(count / singles);
  const turn = () =>
    Promise.all(reports.slice(0, singles).map((report) => singleText(given, fileId, report)));
  await turn();
  const single = await timed(async () => {
    for (let n = 0; n < RECEIPT_ROUNDS * turns; n += 1) await turn();
  });
  const message = new Uint8Array(ROOT_MESSAGE_BYTES);
  const signature = await timed(() => {
    for (let n = 0; n < RECEIPT_ROUNDS; n += 1) KEY.sign(message);
  });
  const per = ({ ms }, reportsMade) => (ms * MICROSECONDS_PER_MS) / (RECEIPT_ROUNDS * reportsMade);
  return {
    hashing: per(hashing, count),
    signature: per(signature, singles),
    made: per(made, count),
    single: per(single, turns * singles),
  };
}

/** Asks for a receipt as the route of a single report does. */
const singleText = (given, fileId, report) => given.single(fileId, Date.now(), report);

answerCalls({
  leaves: ({ leaves }) => {
    records = recordsOf(leaves);
  },
  roots,
  batch,
  log,
  audit,
  receipts,
  stop: () => undefined,
});
