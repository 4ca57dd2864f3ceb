import { readFile, stat } from 'node:fs/promises';
import { parseOptions } from '@sentinel-node/agent/arguments';
import {
  addressOf,
  chainOf,
  fundsState,
  importPayment,
  isCounted,
  keyOf,
  ledgerOf,
  MAX_PAYMENT_BYTES,
  OWN_COLLECTIONS,
  publicKeyHashOf,
  type FundsState,
} from '@sentinel-node/anchoring';
import { LedgerUnavailableError, systemClock, systemTimers, type Ledger } from '@sentinel-node/platform';
import { operate, OPTIONS, runCommand, UsageError, type Operation } from '../operator/run.ts';

const HELP = `usage: sentinel funds [--json] [--data DIR]
       sentinel funds import BEEF|TX|FILE [--data DIR]

Shows what anchors are paid with: the address of the anchoring key (SENTINEL_FUNDING_KEY), the funds of the newest
anchor, payments that were taken in, and how many days all of it lasts at the present rate. While the newest anchor is
refused neither total nor days are known.

import   takes in a payment to that address, as BEEF with its Merkle path, or as a raw transaction that the ledger's
         service knows; in hex, or a FILE with hex or the bytes. It has to be in a block: the path is checked against
         the block headers. Anchoring takes such an output in when the funds are low, and joins ten and more small ones
         by itself.

  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json           the result as JSON
  --help           this text

Needs SENTINEL_LEDGER and SENTINEL_FUNDING_KEY as anchoring has them; the key is never shown. On the embedded store the
system must be stopped.

Exit code 0: done; 1: it could not be done, which is one line; 2: wrong usage.
`;

const { funds, transactions } = OWN_COLLECTIONS;

/** Runs `sentinel funds`. @returns the exit code */
export async function runFunds(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  return runCommand({ name: 'funds', help: HELP }, values, async () => {
    const [action, given, ...more] = positionals;
    const isImport = action === 'import' && given !== undefined && more.length === 0;
    if (action !== undefined && !isImport)
      throw new UsageError('say nothing more, or import and a payment; --help tells more');
    if (isImport && values.json === true) throw new UsageError('import prints no JSON: leave out --json');
    const payment = given === undefined ? undefined : await bytesOf(given);
    return operate({ command: 'funds', dataDir: values.data }, async (operation) => {
      await operation.store.ensure([funds, transactions]);
      return payment === undefined ? show(operation, values.json === true) : take(operation, payment);
    });
  });
}

/** Returns the payment's bytes from hex, or from a file with hex or bytes. @throws UsageError */
async function bytesOf(given: string): Promise<Uint8Array> {
  if (isHex(given)) return Buffer.from(given, 'hex');
  const found = await stat(given).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${given.slice(0, 60)} is neither hex nor a file`);
  // Allow the length in hex with a line break.
  if (found.size > 2 * MAX_PAYMENT_BYTES + 2)
    throw new UsageError(`${given} is longer than ${MAX_PAYMENT_BYTES} bytes`);
  const bytes = await readFile(given);
  const text = bytes.toString('latin1').trim();
  return isHex(text) ? Buffer.from(text, 'hex') : bytes;
}

const isHex = (text: string): boolean => /^([0-9a-fA-F]{2})+$/.test(text);

/** Returns the hash of the funding key's public key. @throws UsageError without the key; ConfigError */
function keyHashOf({ config, masterSecret }: Operation): string {
  if (config.ledger.kind === 'arc' && config.ledger.fundingKey === '')
    throw new UsageError('SENTINEL_FUNDING_KEY is needed: give it as anchoring has it');
  return publicKeyHashOf(keyOf(config, masterSecret));
}

/** Returns the configured ledger, not started, and its headers, which are not written. @throws ConfigError */
function ledgerToAsk({ config, store, log }: Operation) {
  const ports = { store, log, clock: systemClock, timers: systemTimers, isReader: true };
  const chain = chainOf(config, ports);
  return { ledger: ledgerOf(config, ports, chain), headers: chain?.headers };
}

async function show(operation: Operation, json: boolean): Promise<number> {
  const publicKeyHash = keyHashOf(operation);
  const { store } = operation;
  const { ledger } = ledgerToAsk(operation);
  const { network } = ledger;
  const asked = { network, publicKeyHash };
  const state = await withStored(operation, ledger, (headers) =>
    fundsState(store, { ...asked, ...(headers && { headers }) }, systemClock.now()),
  );
  const address = addressOf(publicKeyHash, network);
  const status = { network, address, publicKeyHash, ...state };
  process.stdout.write(json ? `${JSON.stringify(status)}\n` : words(status));
  return 0;
}

/** Calls with the ledger while it has headers of the store; with undefined when there are none. */
async function withStored<T>(
  { config }: Operation,
  ledger: Ledger,
  work: (headers: Ledger | undefined) => Promise<T>,
): Promise<T> {
  if (config.ledger.kind === 'dev') return work(undefined);
  await ledger.start();
  try {
    return await work((await hasHeaders(ledger)) ? ledger : undefined);
  } finally {
    await ledger.stop();
  }
}

async function hasHeaders(ledger: Ledger): Promise<boolean> {
  try {
    await ledger.height();
    return true;
  } catch (error) {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    return false;
  }
}

async function take(operation: Operation, payment: Uint8Array): Promise<number> {
  const { config, store, writeLine } = operation;
  if (config.ledger.kind === 'dev')
    throw new UsageError('the development ledger makes its own funds: there is nothing to import');
  const publicKeyHash = keyHashOf(operation);
  const { ledger, headers } = ledgerToAsk(operation);
  await ledger.start();
  try {
    // The payment's block may be newer than the stored headers.
    await headers?.look();
    const imported = await importPayment({ store, ledger, clock: systemClock, publicKeyHash }, payment);
    if (typeof imported === 'string') {
      writeLine(imported);
      return 1;
    }
    const { outputs, fresh, moved } = imported;
    const words = (id: string) =>
      moved.includes(id) ? ', was there with another path' : ', was there already';
    for (const { id, satoshis } of outputs)
      process.stdout.write(`${id}  ${satoshis} satoshis${fresh.includes(id) ? '' : words(id)}\n`);
    return 0;
  } finally {
    await ledger.stop();
  }
}

type Told = FundsState & { readonly network: string; readonly address: string };

function words({ network, address, newest, imported, isCompared, satoshis, days }: Told): string {
  const free = imported.filter(isCounted);
  const isOpen = (state: string | undefined) => state === 'open' || state === 'confirmed';
  const refused = imported.filter(
    ({ spentBy, consolidation, isDoubtful }) =>
      spentBy === null && isDoubtful && !isOpen(consolidation?.state),
  );
  const open = imported.find(({ consolidation }) => consolidation?.state === 'open')?.consolidation;
  const lost = imported.filter(({ spentBy, isOffChain }) => spentBy === null && isOffChain);
  const anchor =
    newest === null
      ? 'nothing is anchored yet'
      : `${newest.funds} satoshis after batch ${newest.batch}, whose fee was ${newest.fee}${newest.isRefused ? ', and which is refused: not counted' : ''}`;
  const unknown =
    newest?.isRefused === true
      ? `not known: the anchor of batch ${newest.batch} is refused (sentinel anchors resume)`
      : 'not known yet: there is no rate';
  return [
    `address   ${address} (${network})`,
    `funds     ${anchor}`,
    `payments  ${free.length} of ${imported.length} not spent yet`,
    ...free.map((output) => `          ${output.id}  ${output.satoshis} satoshis`),
    ...(open ? [`joining   ${open.txid}`] : []),
    ...(refused.length > 0
      ? [`refused   ${refused.length} of transactions that the ledger refused, not counted: see the runbook`]
      : []),
    ...lost.map((output) => `replaced  ${output.id}  not in the best chain, not counted: import it again`),
    ...(isCompared || network === 'dev'
      ? []
      : ['headers   none yet: whether the blocks of payments were replaced is not known']),
    `total     ${satoshis === null ? unknown : `${satoshis} satoshis`}`,
    `lasts     ${days === null ? unknown : `${days.toFixed(1)} days at the present rate`}`,
    '',
  ].join('\n');
}
