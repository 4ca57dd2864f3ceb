/** The chain of seals, and the evidence of a single log. */
import t from 'tap';
import { randomUUID } from 'node:crypto';
import { fromHex, toHex, utf8 } from '../src/bytes/bytes.ts';
import { verifySpend } from '../src/ledger/ledger-spend.ts';
import { checkProof, type ProofCheckOptions } from '../src/proof/check.ts';
import { CONSISTENCY_FORMAT, type OneLogEvidence } from '../src/proof/check-one-log.ts';
import { inclusionPath, leafHash } from '../src/log/merkle.ts';
import { conflictsOf, transactionWarningsOf } from '../src/proof/conflict.ts';
import { checkHeaders, type HeaderChain, type HeaderCheckpoint } from '../src/proof/headers.ts';
import { doubleSha256 } from '../src/ledger/transaction.ts';
import type { Proof, ProofTrust } from '../src/proof/proof.ts';
import { SealChain, type SealLine, type SealsProblem } from '../src/ledger/seal-chain.ts';
import { online, RECORDED_NETWORK } from './proof-support.ts';
import { signedAnchor } from './seal-vectors.ts';
import { vector } from './support.ts';
import { Transaction } from '@bsv/sdk/transaction';

interface Seals {
  readonly trust: ProofTrust;
  readonly checkpoint: HeaderCheckpoint;
  readonly headers: string;
  readonly proof: Proof;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}
const { trust, checkpoint, headers, proof, lines, notes } = vector<Seals>('seals.json');
const { logId } = proof.log;
const chain = checkHeaders(fromHex(headers), checkpoint, RECORDED_NETWORK) as HeaderChain;
const options: ProofCheckOptions = { ...online, headers: chain };
const known = { logId: fromHex(logId), network: trust.network, genesisTxid: trust.genesisTxid };
const [head = '', ...seals] = lines;
const parsed = seals.map((line) => JSON.parse(line) as SealLine);
const line = (n: number, change: Partial<Record<keyof SealLine, unknown>> = {}): string =>
  JSON.stringify({ ...parsed[n], ...change });

function taken(given: readonly string[]): { chain: SealChain; problem: SealsProblem | undefined } {
  const chain = new SealChain(known, verifySpend);
  let problem = chain.begin(utf8(head));
  for (const one of given) problem ??= chain.add(utf8(one));
  return { chain, problem };
}

t.test('every seal is signed and spends the one before', async (t) => {
  const { chain, problem } = taken(seals);
  t.equal(problem, undefined);
  t.equal(chain.size, seals.length);
});

t.test('what is wrong with a chain has a code, and the batch', async (t) => {
  const [, first, , last] = parsed;
  const digits = (hex: string): string => (hex.endsWith('0') ? '1' : '0');
  const bad = (hex: string): string => hex.slice(0, -1) + digits(hex);
  // The last byte of s is followed by the hash type, the push and the public key of 33 bytes.
  const sigEnd = 2 * (4 + 1 + 36 + 1 + 1 + Number.parseInt(first!.raw.slice(84, 86), 16) - 1);
  const forged = `${first!.raw.slice(0, sigEnd - 2)}${bad(first!.raw.slice(sigEnd - 2, sigEnd))}${first!.raw.slice(sigEnd)}`;
  const spending = async (batch: number, of: number) =>
    (
      await signedAnchor(/006a4c6d534e544c01[0-9a-f]{208}/.exec(parsed[batch]!.raw)![0], [
        { tx: Transaction.fromHex(parsed[of]!.raw), index: 1 },
      ])
    ).toHex();
  const cases: readonly [SealsProblem['code'], number | undefined, readonly string[]][] = [
    ['SEAL_GAP', 2, [line(0), line(2)]],
    ['SEAL_GAP', 1, [line(1)]],
    ['SEAL_BRANCH', 1, [line(0), line(1), line(1)]],
    ['SEAL_BRANCH', 3, [line(0), line(1), line(2), line(3, { raw: await spending(3, 1) })]],
    ['SEAL_FOREIGN', 1, [line(0), line(1, { raw: first!.raw.replace(logId, '11'.repeat(32)) })]],
    ['SEAL_GENESIS_DIFFERS', 0, [line(0, { raw: await spending(0, 2) })]],
    ['SEAL_ANCHOR_DIFFERS', 1, [line(0), line(1, { raw: last!.raw })]],
    ['SEAL_HEADER_DIFFERS', 1, [line(0), line(1, { header: last!.header })]],
    ['SEAL_NOT_SPENT', 3, [line(0), line(1), line(2), line(3, { raw: await spending(3, 3) })]],
    ['SEAL_UNSIGNED', 1, [line(0), line(1, { raw: forged })]],
    ['SEAL_UNSIGNED', 2, [line(0), line(1), line(2, { spends: [] })]],
    ['SEAL_UNREADABLE', 1, [line(0), line(1, { raw: 'ff' })]],
    ['UNKNOWN_FORM', 1, [line(0), line(1, { more: 1 } as never)]],
    ['AMBIGUOUS_JSON', 1, [line(0), line(1).replace('{', '{"batch":7,')]],
    ['TOO_LARGE', 1, [line(0), `${line(1)}${' '.repeat(600_000)}`]],
  ];
  for (const [code, batch, given] of cases) {
    const { problem } = taken(given);
    t.match(problem, { code, batch }, code);
  }
  const overspent = [line(0), line(1), line(2, { spends: [{ ...parsed[2]!.spends[0], satoshis: 1 }] })];
  t.match(taken(overspent).problem, { code: 'SEAL_UNFUNDED' }, 'pays more than it spends');
  const stranger = new SealChain({ ...known, logId: new Uint8Array(32) }, verifySpend);
  t.match(stranger.begin(utf8(head)), { code: 'SEALS_OF_OTHER_LOG' });
  t.match(stranger.begin(utf8('{"format":"x"}')), { code: 'UNKNOWN_FORM' });
});

const outcome = async (oneLog: OneLogEvidence, of = proof) => {
  const { outcome: told, codes } = await checkProof(of, trust, { ...options, oneLog });
  return [told, ...codes.filter((code) => code !== 'COMPLETENESS_NOT_SHOWN')];
};

t.test('a proof holds only when one log is shown', async (t) => {
  t.match((await checkProof(proof, trust, options)).outcome, 'ONE_LOG_NOT_SHOWN');
  t.strictSame(await outcome({}), ['ONE_LOG_NOT_SHOWN', 'ONE_LOG_NOT_SHOWN']);
  t.strictSame(await outcome({ seals: taken(seals).chain }), ['HOLDS']);
  const { holds } = await checkProof(proof, trust, { ...options, oneLog: { seals: taken(seals).chain } });
  t.ok(holds.some(({ code }) => code === 'SEALS'));
  t.strictSame(await outcome({ seals: taken(seals.slice(0, 2)).chain }), [
    'ONE_LOG_NOT_SHOWN',
    'SEALS_TOO_SHORT',
    'ONE_LOG_NOT_SHOWN',
  ]);
  t.strictSame(await outcome({ checkpoint: notes[3]! }), ['HOLDS']);
  t.strictSame(await outcome({ checkpoint: notes[1]! }), [
    'ONE_LOG_NOT_SHOWN',
    'CONSISTENCY_NOT_SHOWN',
    'ONE_LOG_NOT_SHOWN',
  ]);
  const older = await outcome({ checkpoint: notes[1]!, seals: taken(seals).chain });
  t.strictSame(older, ['HOLDS', 'KEPT_CHECKPOINT_OLDER'], 'the seals lead from one to the other');
  const empty = { format: CONSISTENCY_FORMAT, from: 0, to: 4, path: [] as string[] } as const;
  const none = notes[0]!.replace('\n1\n', '\n0\n');
  t.strictSame(await outcome({ checkpoint: none, consistencies: [empty] }), [
    'FAILS',
    'KEPT_CHECKPOINT_NOT_SIGNED',
    'ONE_LOG_NOT_SHOWN',
  ]);
});

t.test('a kept checkpoint of another size needs the right consistency proof', async (t) => {
  const { consistency } = vector<{ consistency: { from: number; to: number; path: string[] }[] }>('log.json');
  const between = consistency.find(({ from, to }) => from === 2 && to === 4)!;
  const given = { format: CONSISTENCY_FORMAT, ...between } as const;
  t.strictSame(await outcome({ checkpoint: notes[1]!, consistencies: [given] }), [
    'HOLDS',
    'KEPT_CHECKPOINT_OLDER',
  ]);
  const wrong = {
    ...given,
    path: given.path.map((hash) => hash.replace(/^./, (c) => (c === '0' ? '1' : '0'))),
  };
  t.strictSame(await outcome({ checkpoint: notes[1]!, consistencies: [wrong] }), [
    'FAILS',
    'NOT_CONSISTENT',
    'ONE_LOG_NOT_SHOWN',
  ]);
  const other = { ...given, from: 1 };
  t.strictSame(await outcome({ checkpoint: notes[1]!, consistencies: [other] }), [
    'ONE_LOG_NOT_SHOWN',
    'CONSISTENCY_NOT_SHOWN',
    'ONE_LOG_NOT_SHOWN',
  ]);
});

t.test('seals or a checkpoint of a second log contradict the proof', async (t) => {
  // Same log id and key; only the content of batch 3 differs.
  const batch = (n: number) => taken(seals).chain.batch(n);
  const second = {
    size: 4,
    batch: (n: number) => (n === 3 ? { ...batch(3)!, hash: batch(2)!.hash } : batch(n)),
  };
  t.strictSame(await outcome({ seals: second }), ['FAILS', 'SEALS_DIFFER', 'ONE_LOG_NOT_SHOWN']);
  const forked = {
    size: 4,
    batch: (n: number) => (n === 1 ? { ...batch(1)!, logRoot: batch(2)!.logRoot } : batch(n)),
  };
  t.strictSame(await outcome({ seals: forked, checkpoint: notes[1]! }), ['FAILS', 'KEPT_CHECKPOINT_DIFFERS']);
});

const conflictCodes = (...of: readonly Proof[]): string[] => conflictsOf(of).map(({ code }) => code);
const warningsOf = (...of: readonly Proof[]): string[] => transactionWarningsOf(of);

t.test('two proofs that cannot both be of one log', async (t) => {
  const entry = { ...proof.entry, linkHash: '11'.repeat(32) };
  const header = `${proof.batch!.header.slice(0, -2)}ff`;
  t.same(conflictCodes(proof, proof), []);
  t.same(conflictCodes(proof, { ...proof, entry }), ['ENTRY_CONFLICT']);
  t.same(
    conflictCodes(proof, { ...proof, entry, subject: { type: 'FILE', id: logId } }),
    [],
    'another subject',
  );
  const next = { ...proof.entry, number: proof.entry.number + 1, linkHash: '22'.repeat(32) };
  t.same(conflictCodes({ ...proof, entry: { ...next, previous: proof.entry.linkHash } }, proof), []);
  t.same(conflictCodes({ ...proof, entry: { ...next, previous: '33'.repeat(32) } }, proof), [
    'CHAIN_CONFLICT',
  ]);
  t.same(conflictCodes(proof, { ...proof, batch: { ...proof.batch!, header } }), ['BATCH_CONFLICT']);
  const transaction = { ...proof.transaction!, txid: '44'.repeat(32) };
  t.same(conflictCodes(proof, { ...proof, transaction }), [], 'anybody can make a copy of an anchor');
  t.same(warningsOf(proof, { ...proof, transaction }), ['TRANSACTIONS_DIFFER']);
  t.same(conflictCodes(proof, { ...proof, batch: null, transaction: null }), []);
});

t.test('a refused transaction that another one replaced is no conflict', async (t) => {
  const replaced: Proof = {
    ...proof,
    state: 'SENT',
    transaction: { ...proof.transaction!, txid: '44'.repeat(32) },
    block: null,
  };
  const unmined: Proof = { ...proof, state: 'SENT', block: null };
  for (const [a, b] of [
    [replaced, proof],
    [proof, replaced],
    [replaced, unmined],
  ] as const) {
    t.same(conflictCodes(a, b), []);
    t.same(warningsOf(a, b), ['TRANSACTION_REPLACED']);
  }
  t.same(warningsOf(unmined, proof), [], 'one transaction');
  t.same(warningsOf({ ...proof, batch: null, transaction: null, block: null }, proof), []);
  const header = `${proof.batch!.header.slice(0, -2)}ff`;
  const other = { ...replaced, batch: { ...proof.batch!, header } };
  t.same(conflictCodes(other, proof), ['BATCH_CONFLICT'], 'another cut of one batch always is');
  t.same(warningsOf(other, proof), []);
});

/** Returns a proof of a batch as signed and anchored. The entry is of another file, unless a test sets it. */
function proofOfBatch(
  n: number,
  change: (header: Uint8Array, path: string[]) => void = () => undefined,
): Proof {
  const headerBytes = parsed.slice(0, n + 1).map(({ header }) => fromHex(header));
  const path = inclusionPath(headerBytes.map(leafHash), n).map(toHex);
  change(headerBytes[n]!, path);
  const batch = { ...proof.batch!, header: toHex(headerBytes[n]!), logPath: path };
  return { ...proof, subject: { type: 'FILE', id: randomUUID() }, batch, transaction: null, block: null };
}

t.test('proofs of different batches that cannot be of one log', async (t) => {
  const all = parsed.map((_, n) => n);
  for (const a of all) for (const b of all) t.same(conflictCodes(proofOfBatch(a), proofOfBatch(b)), []);
  const last = all.length - 1;
  const forged = (n: number) => proofOfBatch(n, (_, path) => path.splice(-1, 1, '55'.repeat(32)));
  t.same(conflictCodes(proofOfBatch(2), forged(2)), ['LOG_CONFLICT'], 'one header, two roots');
  t.same(conflictCodes(proofOfBatch(last - 1), forged(last)), ['LOG_CONFLICT'], 'the beginning of the log');
  const other = proofOfBatch(last - 1, (header) => void header.fill(1, 102, 134));
  t.same(conflictCodes(proofOfBatch(last), other), ['LOG_CONFLICT'], 'the header before');
  const unfollowing = proofOfBatch(last, (header) => void header.fill(1, 58, 90));
  t.same(
    conflictCodes(unfollowing, proofOfBatch(last - 1)),
    ['LOG_CONFLICT'],
    'the header names another before',
  );
  const at = (n: number, number: number): Proof => ({
    ...proofOfBatch(n),
    subject: proof.subject,
    entry: { ...proof.entry, number },
  });
  t.same(conflictCodes(at(1, 3), at(2, 9)), []);
  t.same(conflictCodes(at(2, 3), at(1, 9)), ['PLACE_CONFLICT'], 'a later entry in an earlier batch');
  t.same(conflictCodes(at(2, 3), at(1, 3)), ['PLACE_CONFLICT'], 'one entry in two batches');
});

t.test('transactions of different batches that the ledger cannot both have', async (t) => {
  const mined = (n: number, raw = parsed[n]!.raw): Proof => {
    const txid = toHex(doubleSha256(fromHex(raw)).reverse());
    return { ...proofOfBatch(n), transaction: { ...proof.transaction!, raw, txid }, block: proof.block };
  };
  const all = parsed.map((_, n) => n);
  for (const a of all) for (const b of all) t.same(warningsOf(mined(a), mined(b)), []);
  // Hash and index of the output that input 0 spends follow version and number of inputs.
  const spending = (n: number, outpoint: string): Proof =>
    mined(n, `${parsed[n]!.raw.slice(0, 10)}${outpoint}${parsed[n]!.raw.slice(82)}`);
  const spent = (n: number): string => parsed[n]!.raw.slice(10, 82);
  const elsewhere = spending(2, `${'77'.repeat(32)}01000000`);
  t.same(warningsOf(mined(1), elsewhere), ['TRANSACTIONS_DIFFER'], 'the seal before is not spent');
  t.same(warningsOf(elsewhere, mined(1)), ['TRANSACTIONS_DIFFER']);
  t.same(warningsOf(mined(0), elsewhere), [], 'what is between is not known');
  t.same(warningsOf(mined(1), spending(3, spent(1))), ['TRANSACTIONS_DIFFER'], 'one output spent twice');
  const replaced = { ...elsewhere, block: null };
  t.same(warningsOf(mined(1), replaced), [], 'one that waits for a block can still be replaced');
});
