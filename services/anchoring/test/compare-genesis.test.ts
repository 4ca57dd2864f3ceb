/** Tests the comparison of the first anchor, whose id the operator gives to checkers, with what else the store has. */
import { fromHex, parseTransaction } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import type { TransactionDocument } from '../src/collections.ts';
import { compareGenesis, storedBatch, type GenesisOptions } from '../src/comparison/compare-genesis.ts';
import { publicKeyHashOf, signAnchor } from '../src/transaction/sign-anchor.ts';
import { anchored } from './anchored.ts';
import { ANCHORING_KEY, LOG_KEY, type World } from './support.ts';

const OTHER_KEY = '22'.repeat(32);
const keyHash = publicKeyHashOf(ANCHORING_KEY);
const NONE = { cut: undefined, document: undefined };

async function given(t: Test): Promise<GenesisOptions & { readonly world: World }> {
  const world = await anchored(t);
  const { store } = world;
  const { cut, document } = await storedBatch(store, 0);
  const second = await storedBatch(store, 1);
  return { logId: LOG_KEY.logId, first: { cut, document: document! }, second, keyHash, world };
}

/** Returns the document with a first transaction of another key, of which all that is recorded fits. */
async function ofOtherKey({ ledger }: World, document: TransactionDocument): Promise<TransactionDocument> {
  const { script } = parseTransaction(fromHex(document.rawTx))!.outputs[0]!;
  const spend = await ledger.funding(publicKeyHashOf(OTHER_KEY));
  const policy = { satoshis: 1, bytes: 1_000 };
  const { txid, ...signed } = (await signAnchor({ script, spend, privateKey: OTHER_KEY, policy }))!;
  const { record } = document;
  const evidence = {
    ...record.evidence!,
    transaction: { ...record.evidence!.transaction!, raw: signed.rawTx },
  };
  const transaction = { ...record.transaction!, txid };
  return { ...document, ...signed, record: { ...record, evidence, transaction } };
}

t.setTimeout(300_000);
t.test('the first anchor holds by the anchor that spends it, and by its key', async (t) => {
  const options = await given(t);
  const whole = { difference: undefined, isFollowed: true, isByKey: true };
  t.strictSame(compareGenesis(options), whole);
  t.strictSame(compareGenesis({ ...options, second: NONE }), { ...whole, isFollowed: false });
  t.strictSame(compareGenesis({ ...options, second: NONE, keyHash: undefined }), {
    ...whole,
    isFollowed: false,
    isByKey: false,
  });
});

t.test('another id, cut or batch is a difference', async (t) => {
  const options = await given(t);
  const { first, second } = options;
  const { record } = first.document;
  const says = (changes: Partial<GenesisOptions>) => compareGenesis({ ...options, ...changes }).difference;
  const renamed = { ...record, transaction: { ...record.transaction!, txid: '11'.repeat(32) } };
  t.match(says({ first: { ...first, document: { ...first.document, record: renamed } } }), /another id/);
  t.match(says({ first: { ...first, cut: undefined } }), /batch 0 has a transaction and no cut/);
  t.match(says({ first: { ...first, cut: second.cut } }), /batch 0: /);
  t.match(says({ second: { ...second, cut: undefined } }), /batch 1 has a transaction and no cut/);
  t.match(says({ logId: new Uint8Array(32) }), /batch 0: .*SEAL_HEADER_DIFFERS/);
  t.match(says({ keyHash: publicKeyHashOf(OTHER_KEY) }), /another key signed its transaction/);
});

t.test(
  'a first anchor that somebody else signed fits, but not its key, and not the anchor after it',
  async (t) => {
    const options = await given(t);
    const first = { ...options.first, document: await ofOtherKey(options.world, options.first.document) };
    const says = (changes: Partial<GenesisOptions>) => compareGenesis({ ...options, first, ...changes });
    t.match(says({}).difference, /batch 0: another key signed/);
    t.match(says({ keyHash: undefined }).difference, /batch 1: .*SEAL_NOT_SPENT/);
    t.strictSame(
      says({ keyHash: undefined, second: NONE }),
      { difference: undefined, isFollowed: false, isByKey: false },
      'nothing is compared, and the command says so',
    );
  },
);
