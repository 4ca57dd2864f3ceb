import {
  bumpRoot,
  equalBytes,
  fromHex,
  parseBlockHeader,
  parseBump,
  shownHash,
} from '@sentinel-node/contracts';
import type { Funding, Ledger, LedgerAnswer } from '@sentinel-node/platform';
import type { Test } from 'tap';

export interface SpendOptions {
  readonly from: readonly Funding[];
  /** Absent: the fee that the ledger requires. */
  readonly fee?: 'none';
  /** Signs with another key than the one that the outputs pay to. */
  readonly byStranger?: boolean;
  /** Data that make two spends of the same outputs different. */
  readonly data?: string;
}

export interface LedgerUnderTest {
  readonly ledger: Ledger;
  /** Hash (hex) of the public key that `spend` signs for; `ledger.funding` of the hash is not empty at the start. */
  readonly publicKeyHash: string;
  /** Returns a signed transaction in Extended Format, hex. Output 1 pays the remainder to `publicKeyHash`. */
  spend(wishes: SpendOptions): Promise<string>;
  /** Returns output 1 of a transaction in Extended Format. */
  changeOf(extendedTx: string): Funding;
  mine(): Promise<void>;
  /** Replaces the newest blocks by a chain that is one block longer; their transactions wait again. */
  reorganise(depth: number): Promise<void>;
}

/** Makes a started ledger, and registers its end in `t.teardown`. */
export type MakeLedger = (t: Test) => Promise<LedgerUnderTest>;

type Case = (t: Test, world: LedgerUnderTest) => Promise<void>;

const UNKNOWN = '00'.repeat(32);
const DEEPEST = 6;

async function sent(world: LedgerUnderTest, wishes: Partial<SpendOptions> = {}) {
  const from = wishes.from ?? (await world.ledger.funding(world.publicKeyHash));
  const extendedTx = await world.spend({ ...wishes, from });
  return { extendedTx, from, answer: await world.ledger.submit(extendedTx) };
}

/** Checks that the path leads from the transaction to the header of the best chain that the answer names. */
async function holdsInBlock(t: Test, { ledger }: LedgerUnderTest, answer: LedgerAnswer | undefined) {
  t.equal(answer?.status, 'MINED');
  const { txid = '', blockHash, blockHeight = -1, merklePath = '' } = answer ?? {};
  const header = parseBlockHeader(fromHex((await ledger.header(blockHeight)) ?? ''));
  t.equal(header && shownHash(header.hash), blockHash);
  const bump = parseBump(fromHex(merklePath));
  t.equal(bump?.height, blockHeight);
  const found = bump && bumpRoot(bump, fromHex(txid).reverse());
  t.ok(
    found !== undefined && header !== undefined && equalBytes(found.root, header.root),
    'root of the path',
  );
}

const cases: Record<string, Case> = {
  'what is sent is seen; what never was is unknown': async (t, world) => {
    const { answer } = await sent(world);
    t.equal(answer.status, 'SEEN_ON_NETWORK');
    t.match(await world.ledger.status(answer.txid), { txid: answer.txid, status: 'SEEN_ON_NETWORK' });
    t.equal(await world.ledger.status(UNKNOWN), undefined);
  },
  'sending again answers the present state': async (t, world) => {
    const { extendedTx, answer } = await sent(world);
    t.match(await world.ledger.submit(extendedTx), { txid: answer.txid, status: 'SEEN_ON_NETWORK' });
    await world.mine();
    await holdsInBlock(t, world, await world.ledger.submit(extendedTx));
  },
  'a refusal is REJECTED with words, and nothing of it stays': async (t, world) => {
    const refused = async (wishes: Partial<SpendOptions>) => {
      const { answer } = await sent(world, wishes);
      t.equal(answer.status, 'REJECTED');
      t.ok(answer.detail, 'words');
      t.equal(await world.ledger.status(answer.txid), undefined);
    };
    await refused({ byStranger: true });
    await refused({ fee: 'none' });
    const unsent = await world.spend({ from: await world.ledger.funding(world.publicKeyHash) });
    await refused({ from: [world.changeOf(unsent)] });
    t.equal((await sent(world)).answer.status, 'SEEN_ON_NETWORK', 'the outputs can still be spent');
  },
  'what is no transaction is REJECTED': async (t, world) => {
    for (const text of ['', 'zz', '00', `${'00'.repeat(200)}`])
      t.match(await world.ledger.submit(text), { status: 'REJECTED', detail: String });
  },
  'of two that spend the same, the second is REJECTED': async (t, world) => {
    const first = await sent(world);
    const second = await sent(world, { from: first.from, data: '006a51' });
    t.not(second.answer.txid, first.answer.txid);
    t.equal(second.answer.status, 'REJECTED');
    t.match(await world.ledger.status(first.answer.txid), { status: 'SEEN_ON_NETWORK' });
  },
  'a child follows its parent before either is in a block; each has its own path': async (t, world) => {
    const parent = await sent(world);
    const child = await sent(world, { from: [world.changeOf(parent.extendedTx)] });
    const grandchild = await sent(world, { from: [world.changeOf(child.extendedTx)] });
    await world.mine();
    for (const { answer } of [parent, child, grandchild])
      await holdsInBlock(t, world, await world.ledger.status(answer.txid));
  },
  'the height rises with each block, and there is no header above': async (t, world) => {
    await sent(world);
    const before = await world.ledger.height();
    await world.mine();
    t.equal(await world.ledger.height(), before + 1);
    t.match(await world.ledger.header(before + 1), /^[0-9a-f]{160}$/);
    t.equal(await world.ledger.header(before + 2), undefined);
  },
  'the policy is a fee': async (t, world) => {
    const { satoshis, bytes } = await world.ledger.policy();
    t.ok(satoshis >= 0 && bytes >= 1);
  },
  'what is spent is no funding any more': async (t, world) => {
    const { from } = await sent(world);
    const left = await world.ledger.funding(world.publicKeyHash);
    t.notOk(left.some(({ rawTx }) => from.some((spent) => spent.rawTx === rawTx)));
  },
};
for (let depth = 1; depth <= DEEPEST; depth++)
  cases[`a reorganisation of ${depth} takes the block back, and the next block holds it`] = async (
    t,
    world,
  ) => {
    const { answer } = await sent(world);
    for (let block = 0; block < depth; block++) await world.mine();
    const first = await world.ledger.status(answer.txid);
    await holdsInBlock(t, world, first);
    await world.reorganise(depth);
    const second = await world.ledger.status(answer.txid);
    t.not(second?.blockHash, first?.blockHash);
    await holdsInBlock(t, world, second);
  };

/** Tests that every adapter of Ledger must pass: a subtest `name` with one subtest for each case. */
export async function ledgerContract(t: Test, name: string, makeLedger: MakeLedger): Promise<void> {
  await t.test(name, async (t) => {
    for (const [title, run] of Object.entries(cases))
      await t.test(title, async (t) => run(t, await makeLedger(t)));
  });
}
