/** A development ledger of one test, alone or behind an ARC service. */
import { Hash, LockingScript, P2PKH, PrivateKey, SatoshisPerKilobyte, Transaction } from '@bsv/sdk';
import type { Test } from 'tap';
import type { LedgerUnderTest, SpendOptions } from '@sentinel-node/test-kit/contract-suites';
import { dropBlocks, ManualClock } from '@sentinel-node/test-kit/fakes';
import { ArcServer, type ArcServerOptions } from '@sentinel-node/test-kit/test-servers';
import { createArcLedger, createDevLedger } from '../src/ledger/index.ts';
import type { ArcAlarm, ArcEndpoint, ArcLedgerOptions, DevLedger } from '../src/ledger/index.ts';
import { openDataFolder, openEmbeddedDocumentStore } from '../src/index.ts';
import type { BlockHeaders, DocumentStore, Funding, Ledger } from '../src/index.ts';

const KEY = PrivateKey.fromHex('22'.repeat(32));
const STRANGER = PrivateKey.fromHex('33'.repeat(32));
export const PUBLIC_KEY_HASH = KEY.toPublicKey().toHash('hex') as string;
const SATOSHIS_PER_KILOBYTE = 100;
const BLOCK_MS = 600_000;
export const timers = {
  every: () => ({ stop: () => Promise.resolve(), failed: new Promise<never>(() => undefined) }),
};

export async function openDev(t: Test) {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  const clock = new ManualClock();
  const ledger = createDevLedger({ store, clock, timers });
  await ledger.start();
  return { store, clock, ledger };
}

/** Pays the outputs in `from` to the same key again. @returns the transaction in Extended Format (BRC-30), hex */
export async function spend(
  { from, fee, byStranger = false, data = '006a' }: SpendOptions,
  satoshisPerKilobyte = SATOSHIS_PER_KILOBYTE,
): Promise<string> {
  const tx = new Transaction();
  for (const { rawTx, outputIndex } of from) {
    tx.addInput({
      sourceTransaction: Transaction.fromHex(rawTx),
      sourceOutputIndex: outputIndex,
      unlockingScriptTemplate: new P2PKH().unlock(byStranger ? STRANGER : KEY),
      sequence: 0xffffffff,
    });
  }
  tx.addOutput({ lockingScript: LockingScript.fromHex(data), satoshis: 0 });
  tx.addOutput({
    lockingScript: new P2PKH().lock(Hash.hash160(KEY.toPublicKey().encode(true))),
    change: true,
  });
  await tx.fee(new SatoshisPerKilobyte(fee === 'none' ? 0 : satoshisPerKilobyte));
  await tx.sign();
  return tx.toHexEF();
}

export function changeOf(extendedTx: string): Funding {
  const tx = Transaction.fromHexEF(extendedTx);
  return { rawTx: tx.toHex(), outputIndex: 1, satoshis: tx.outputs[1]!.satoshis! };
}

export const txidOf = (extendedTx: string): string => Transaction.fromHexEF(extendedTx).id('hex');

interface World {
  readonly store: DocumentStore;
  readonly clock: ManualClock;
  readonly ledger: DevLedger;
}

/** The funds are so deep at the start that no reorganisation reaches them. */
export async function underTest(ledger: Ledger, dev: World): Promise<LedgerUnderTest> {
  await dev.ledger.funding(PUBLIC_KEY_HASH);
  const mine = async () => {
    dev.clock.advance(BLOCK_MS);
    await dev.ledger.mine();
  };
  return {
    ledger,
    publicKeyHash: PUBLIC_KEY_HASH,
    spend,
    changeOf,
    mine,
    reorganise: async (depth) => {
      await dropBlocks(dev.store, depth);
      for (let block = 0; block <= depth; block++) await mine();
    },
  };
}

/** Returns the headers of the development ledger's blocks. */
export const headersOf = (ledger: DevLedger): BlockHeaders => ({
  firstHeight: ledger.firstHeight,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  height: () => ledger.height(),
  header: (height) => ledger.header(height),
});

/**
 * Opens the development ledger behind an ARC service for each of `servers`, and the adapter that uses these services.
 */
export async function openArc(
  t: Test,
  servers: readonly Partial<ArcServerOptions>[] = [{}],
  options: Partial<ArcLedgerOptions> = {},
) {
  const dev = await openDev(t);
  const started = await Promise.all(
    servers.map((wishes) => ArcServer.start({ ledger: dev.ledger, ...wishes })),
  );
  t.teardown(() => Promise.all(started.map((server) => server.stop())));
  const alarms: ArcAlarm[] = [];
  const endpoints = started.map((server, index): ArcEndpoint => {
    const { token, api = 'arc' } = servers[index]!;
    return { url: server.url, api, token };
  });
  const ledger = createArcLedger({
    network: 'test',
    endpoints: endpoints as [ArcEndpoint, ...ArcEndpoint[]],
    headers: headersOf(dev.ledger),
    funding: (publicKeyHash) => dev.ledger.funding(publicKeyHash),
    clock: dev.clock,
    onAlarm: (alarm) => alarms.push(alarm),
    ...options,
  });
  await ledger.start();
  t.teardown(() => ledger.stop());
  const world = await underTest(ledger, dev);
  return { ...world, dev, servers: started, arc: started[0]!, alarms, clock: dev.clock };
}
