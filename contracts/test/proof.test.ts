import t from 'tap';
import { fromHex, utf8 } from '../src/bytes/bytes.ts';
import { checkBlock } from '../src/proof/check-block.ts';
import { checkProof, type ProofCheckOptions, type ProofOutcome } from '../src/proof/check.ts';
import { ProofFindings } from '../src/proof/findings.ts';
import { checkHeaders, type HeaderChain } from '../src/proof/headers.ts';
import { doubleSha256, shownHash } from '../src/ledger/transaction.ts';
import type { Proof } from '../src/proof/proof.ts';
import {
  checkpoint,
  headers,
  headersHex,
  knowing,
  named,
  offline,
  online,
  proofs,
  trust,
  whole,
  RECORDED_NETWORK,
} from './proof-support.ts';

t.test('what each recorded proof shows', async (t) => {
  const expected: readonly [string, ProofOutcome, readonly string[], readonly string[]][] = [
    ['whole', 'HOLDS', [], ['BLOCK', 'COINBASE', 'TIME']],
    ['batch 0', 'HOLDS', [], ['GENESIS', 'BLOCK', 'COINBASE', 'TIME']],
    ['the first entry of a file', 'HOLDS', [], ['GENESIS', 'BLOCK', 'COINBASE', 'TIME']],
    ['of a shared alert', 'HOLDS', [], ['BLOCK', 'COINBASE', 'TIME']],
    ['without header and coinbase', 'HOLDS', ['COINBASE_ABSENT'], ['BLOCK', 'TIME']],
    ['sent', 'INCOMPLETE', ['INCOMPLETE'], []],
    ['cut', 'INCOMPLETE', ['INCOMPLETE'], []],
    ['pending', 'INCOMPLETE', ['INCOMPLETE'], []],
  ];
  const oneLog = (name: string): string[] => (name === 'pending' ? [] : ['KEPT_CHECKPOINT']);
  t.same(
    proofs.map(({ name }) => name),
    expected.map(([name]) => name),
  );
  const parts = { pending: ['LOG', 'LINK'], cut: ['LOG', 'LINK', 'LEAF', 'CHECKPOINT', 'BATCH'] };
  for (const [name, outcome, warnings, holds] of expected) {
    const verdict = await checkProof(named(name), trust, knowing(named(name)));
    t.equal(verdict.outcome, outcome, name);
    t.same([...verdict.codes].sort(), ['COMPLETENESS_NOT_SHOWN', ...warnings].sort(), `${name}: codes`);
    const below = name === 'pending' ? parts.pending : name === 'cut' ? parts.cut : [...parts.cut, 'ANCHOR'];
    t.same(
      verdict.holds.map(({ code }) => code).sort(),
      [...below, ...holds, ...oneLog(name)].sort(),
      `${name}: holds`,
    );
  }
  const { block, proof } = await checkProof(whole, trust, online);
  t.match(block, { height: 600_002, confirmations: 7 });
  t.equal(proof?.entry.kind, 'BREAK');
});

t.test('what is only claimed is said', async (t) => {
  const claims = async (proof: Proof, options: ProofCheckOptions) =>
    (await checkProof(proof, trust, options)).claimed.map(({ code }) => code).sort();
  const all = ['ACCEPTED_AT', 'CONFIRMATIONS', 'ORIGIN', 'OWNER', 'REPORTED_AT', 'SINGLE_LOG'];
  t.same(await claims(whole, online), all);
  t.same(
    await claims(named('of a shared alert'), online),
    all.filter((code) => code !== 'OWNER'),
  );
  t.same(await claims(whole, offline), [...all, 'SELF_SUPPLIED'].sort());
  const verdict = await checkProof(whole, trust, offline);
  t.equal(verdict.outcome, 'SELF_SUPPLIED');
  t.notOk(verdict.holds.some(({ code }) => code === 'BLOCK' || code === 'TIME'));
});

t.test('a document written with blanks, or as bytes, is the same', async (t) => {
  for (const document of [JSON.stringify(whole, null, 2), utf8(JSON.stringify(whole)), whole])
    t.equal((await checkProof(document, trust, knowing(whole))).outcome, 'HOLDS');
});

type Change = (proof: Mutable<Proof>) => void;
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object | null ? Mutable<T[K]> : T[K] };

async function codesAfter(change: Change, options: ProofCheckOptions = online, proof = whole, by = trust) {
  const copy = structuredClone(proof) as Mutable<Proof>;
  change(copy);
  return (await checkProof(copy, by, options)).fails.map(({ code }) => code as string);
}

t.test('each way to be wrong has its code', async (t) => {
  const zeros = '0'.repeat(64);
  const ways: readonly [string, Change][] = [
    ['UNKNOWN_FORM', (proof) => Object.assign(proof, { surprise: 1 })],
    ['UNKNOWN_FORM', (proof) => void (proof.entry.length = -1)],
    ['STATE_DIFFERS', (proof) => void (proof.state = 'SENT')],
    ['STATE_DIFFERS', (proof) => void (proof.batch = null)],
    ['LOG_DIFFERS', (proof) => void (proof.log.origin = 'elsewhere')],
    ['LOG_DIFFERS', (proof) => void (proof.log.keyFingerprint = zeros)],
    ['ENTRY_IMPOSSIBLE', (proof) => void delete proof.entry.alertType],
    ['ENTRY_IMPOSSIBLE', (proof) => void delete proof.entry.length],
    ['ENTRY_IMPOSSIBLE', (proof) => void (proof.entry.previous = zeros)],
    ['LINK_HASH_DIFFERS', (proof) => void (proof.entry.length! += 1)],
    ['LINK_HASH_DIFFERS', (proof) => void (proof.entry.acceptedAt += 1)],
    ['LEAF_HASH_DIFFERS', (proof) => void (proof.batch!.leafHash = zeros)],
    ['HEADER_UNREADABLE', (proof) => void (proof.batch!.header = zeros + proof.batch!.header.slice(64))],
    ['LEAF_NOT_IN_BATCH', (proof) => void (proof.batch!.leafIndex += 1)],
    ['LEAF_NOT_IN_BATCH', (proof) => void proof.batch!.leafPath.pop()],
    ['HEADER_NOT_IN_LOG', (proof) => void proof.batch!.logPath.push(zeros)],
    ['CHECKPOINT_DIFFERS', (proof) => void (proof.batch!.logPath[0] = zeros)],
    ['CHECKPOINT_DIFFERS', (proof) => void (proof.batch!.checkpoint = named('batch 0').batch!.checkpoint)],
    ['CHECKPOINT_NOT_SIGNED', (proof) => void (proof.batch!.checkpoint += 'x')],
    ['NETWORK_DIFFERS', (proof) => void (proof.transaction!.network = 'main')],
    ['TRANSACTION_UNREADABLE', (proof) => void (proof.transaction!.raw += '00')],
    ['TXID_DIFFERS', (proof) => void (proof.transaction!.txid = zeros)],
    ['ANCHOR_DIFFERS', (proof) => void (proof.transaction = named('batch 0').transaction)],
    ['GENESIS_DIFFERS', (proof) => void (proof.transaction = named('batch 0').transaction)],
    ['BUMP_UNREADABLE', (proof) => void (proof.block!.bump += '00')],
    ['BUMP_HEIGHT_DIFFERS', (proof) => void (proof.block!.height += 1)],
    ['NOT_IN_BLOCK', (proof) => void (proof.block = named('batch 0').block)],
    ['COINBASE_DIFFERS', (proof) => void (proof.block!.coinbase = proof.transaction!.raw)],
    [
      'COINBASE_DIFFERS',
      (proof) => void (proof.block!.bump = named('without header and coinbase').block!.bump),
    ],
    ['BLOCK_HEADER_DIFFERS', (proof) => void (proof.block!.header = named('batch 0').block!.header)],
    ['BLOCK_UNKNOWN', (proof) => void (proof.block!.height = 1)],
  ];
  for (const [code, change] of ways) t.ok((await codesAfter(change)).includes(code), code);

  const first = named('the first entry of a file');
  const device = await codesAfter((proof) => void (proof.subject.deviceId = proof.subject.id), online, first);
  t.same(device, ['DEVICE_DIFFERS']);
  const own = { ...trust, genesisTxid: whole.transaction!.txid };
  t.same(await codesAfter(() => undefined, online, whole, own), ['GENESIS_DIFFERS']);
  t.same(await codesAfter(() => undefined, online, named('batch 0'), own), ['GENESIS_DIFFERS']);
  t.same(await codesAfter(() => undefined, online, whole, { ...trust, publicKey: 'x' }), ['TRUST_UNUSABLE']);
  const stranger = { ...trust, publicKey: '11'.repeat(32) };
  const strange = await codesAfter(() => undefined, online, whole, stranger);
  t.same(strange.slice(0, 1), ['LOG_DIFFERS']);
  t.ok(strange.includes('CHECKPOINT_NOT_SIGNED'));
});

t.test('a document that other programs stored is read as before', async (t) => {
  const text = JSON.stringify(whole);
  t.match(text, '—', 'the checkpoint has a dash');
  // As json.dumps of Python and json_encode of PHP write texts.
  const stored = text.replaceAll('—', '\\u2014').replaceAll('/', '\\/');
  t.same(await checkProof(stored, trust, online), await checkProof(text, trust, online));
});

t.test('a document that programs could read differently is none', async (t) => {
  const text = JSON.stringify(whole);
  const cases: readonly [string, string | Uint8Array][] = [
    ['AMBIGUOUS_JSON', text.replace('{"format"', '{"state":"SENT","format"')],
    ['AMBIGUOUS_JSON', text.replace('"number":5', '"number":5,"number":5')],
    ['AMBIGUOUS_JSON', text.replace('"number":5', '"number":5.0')],
    ['AMBIGUOUS_JSON', text.replace('"number":5', '"number":5,"n\\u0075mber":5')],
    ['NOT_JSON', `${text}"`],
    ['NOT_JSON', `\ufeff${text}`],
    ['NOT_JSON', text.slice(0, -1)],
    ['NOT_JSON', Buffer.from([0xff, 0xfe])],
    ['NOT_JSON', ''],
    ['UNKNOWN_FORM', '['.repeat(100_000)],
    ['UNKNOWN_FORM', 'null'],
    ['NOT_JSON', '"\\'.repeat(200_000)],
    ['TOO_LARGE', ' '.repeat(524_289)],
  ];
  for (const [code, document] of cases)
    t.same(
      (await checkProof(document, trust, online)).fails.map((fail) => fail.code),
      [code],
    );
});

t.test('a document of another form names the member', async (t) => {
  const { length: _, ...entry } = whole.entry;
  const cases: readonly [string, object][] = [
    ['/surprise', { ...whole, surprise: 1 }],
    ['/entry/what~1ever', { ...whole, entry: { ...whole.entry, 'what/ever': 1 } }],
    ['/entry/nonce', { ...whole, entry: { ...entry, nonce: 'x' } }],
    ['/batch/leafPath/0', { ...whole, batch: { ...whole.batch, leafPath: ['x'] } }],
    ['/log/origin', { ...whole, log: { ...whole.log, origin: undefined } }],
  ];
  for (const [member, document] of cases) {
    const { fails } = await checkProof(document, trust, online);
    t.strictSame(
      fails.map(({ code }) => code),
      ['UNKNOWN_FORM'],
    );
    t.match(fails[0]?.text, new RegExp(` At ${member}\\.$`));
  }
});

t.test('a transaction that is not signed, spends nothing real, or leaves no seal, is refused', async (t) => {
  const { raw } = whole.transaction!;
  // 41 bytes come before the unlocking script of the only input, whose length takes one byte.
  const scriptAt = 2 * 41;
  const scriptDigits = 2 * Number.parseInt(raw.slice(scriptAt, scriptAt + 2), 16);
  const cases: readonly [string, string][] = [
    ['TRANSACTION_UNSIGNED', `${raw.slice(0, scriptAt)}00${raw.slice(scriptAt + 2 + scriptDigits)}`],
    ['TRANSACTION_UNSIGNED', `${raw.slice(0, 10)}${'00'.repeat(32)}${raw.slice(74)}`],
    ['TRANSACTION_UNSIGNED', `${raw.slice(0, 74)}ffffffff${raw.slice(82)}`],
    [
      'TRANSACTION_UNFUNDED',
      raw.replace(/[0-9a-f]{16}(1976a914[0-9a-f]{40}88ac00000000)$/, '0000000000000000$1'),
    ],
  ];
  for (const [code, changed] of cases) {
    t.not(changed, raw);
    const codes = await codesAfter((proof) => {
      proof.transaction!.raw = changed;
      proof.transaction!.txid = shownHash(doubleSha256(fromHex(changed)));
    });
    t.ok(codes.includes(code), `${code} among ${codes.join(' ')}`);
  }
});

t.test('times: too early fails, late warns, shallow warns', async (t) => {
  const sparse = checkHeaders(
    fromHex(headersHex.slice(0, 3 * 160)),
    checkpoint,
    RECORDED_NETWORK,
  ) as HeaderChain;
  const shallow = await checkProof(whole, trust, { ...online, headers: sparse });
  t.ok(shallow.codes.includes('SHALLOW'));
  t.equal(shallow.block?.confirmations, 1);
  const hours = (n: number): HeaderChain => ({
    ...headers,
    headerAt: (height) => shifted(height, n * 3_600),
  });
  const shifted = (height: number, seconds: number): Uint8Array => {
    const bytes = Buffer.from(headers.headerAt(height)!);
    bytes.writeUInt32LE(bytes.readUInt32LE(68) + seconds, 68);
    return new Uint8Array(bytes);
  };
  const at = (n: number, intervalMs: number) => {
    const moved = hours(n);
    const hash = shownHash(doubleSha256(moved.headerAt(600_002)!));
    const block = { ...whole.block!, hash, header: null };
    const of = {
      block,
      hash: fromHex(whole.transaction!.txid).reverse(),
      acceptedAt: whole.entry.acceptedAt,
    };
    const findings = new ProofFindings();
    checkBlock({ ...of, intervalMs, headers: moved }, findings);
    return [...findings.fails, ...findings.warnings].map(({ code }) => code);
  };
  t.same(at(0, 3_600_000), []);
  t.same(at(-2, 3_600_000), []);
  t.same(at(-3, 3_600_000), ['ACCEPTED_AFTER_BLOCK']);
  t.same(at(2, 3_600_000), []);
  t.same(at(3, 3_600_000), ['ANCHORED_LATE']);
  t.same(at(2, 60_000), ['ANCHORED_LATE']);
});

t.test('the development ledger is not public, whatever else holds', async (t) => {
  const dev = structuredClone(whole) as Mutable<Proof>;
  dev.transaction!.network = 'dev';
  const verdict = await checkProof(dev, { ...trust, network: 'dev' }, online);
  t.equal(verdict.outcome, 'NOT_PUBLIC');
  t.match(
    verdict.warnings.find(({ code }) => code === 'NOT_PUBLIC'),
    { text: /^NOT PUBLIC: whoever runs this/ },
  );
  t.same(verdict.fails, []);
});

t.test('a network that nothing is known of is public only when the checker names it', async (t) => {
  const other = structuredClone(whole) as Mutable<Proof>;
  other.transaction!.network = 'mainnet';
  const named = { ...trust, network: 'mainnet' };
  const outcomeFor = async (ownNetwork?: string) => {
    const options = { ...knowing(whole), ...(ownNetwork !== undefined && { ownNetwork }) };
    const { fails, outcome, warnings } = await checkProof(other, named, options);
    t.same(fails, []);
    return [outcome, warnings.some(({ code }) => code === 'NETWORK_UNKNOWN')];
  };
  t.same(await outcomeFor(), ['NOT_PUBLIC', true]);
  t.same(await outcomeFor('main'), ['NOT_PUBLIC', true]);
  t.same(await outcomeFor('mainnet'), ['HOLDS', false]);
  for (const network of ['dev', 'regtest']) {
    const forgeable = { ...other, transaction: { ...other.transaction!, network } };
    const options = { ...knowing(whole), ownNetwork: network };
    t.equal((await checkProof(forgeable, { ...trust, network }, options)).outcome, 'NOT_PUBLIC', network);
  }
  t.equal((await checkProof(whole, trust, knowing(whole))).outcome, 'HOLDS', 'known ones need no name');
});
