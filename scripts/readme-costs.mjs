#!/usr/bin/env node
// Writes the daily cost of anchors into README.md, from the fee of an anchor made here; --check only compares.
// --rate N only prints the table for a ledger that asks N satoshis a kilobyte.
import { P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { betweenMarks, keepPage } from './lib/between-marks.mjs';
import { root } from './lib/prepare.mjs';

/** Satoshis a kilobyte. */
const RATES = [1, 100];
const DAY_MS = 86_400_000;
const KEY = '01'.padStart(64, '0');

const load = (path) => import(pathToFileURL(join(root, path)).href);

/** Returns README.md with the table in its place. */
export async function withCosts(text) {
  return betweenMarks('costs', text, await costTable(RATES));
}

/** Returns the table. @param rates satoshis a kilobyte, one column each */
export async function costTable(rates) {
  const { readConfig } = await load('services/platform/dist/src/index.js');
  const { cutDueAt } = await load('services/anchoring/dist/src/domain/due.js');
  const intervals = readConfig({}).categoryIntervalSeconds;
  const anchors = await Promise.all(rates.map(anchorAt));
  const rows = Object.entries(intervals).map(([category, seconds]) => {
    const perDay = Math.floor(DAY_MS / cutDueAt(0, category, intervals));
    const costs = anchors.map(({ fee }) => grouped(perDay * fee));
    return [`\`${category}\``, `${grouped(seconds)} s`, grouped(perDay), ...costs];
  });
  const titles = anchors.map(
    ({ fee, bytes }, at) => `satoshis a day at ${rates[at]} a kilobyte (${bytes} bytes, fee ${fee})`,
  );
  const head = ['shortest category', 'interval', 'transactions a day, at most', ...titles];
  return [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** Measures an anchor that spends the seal of an earlier anchor, as all anchors but the first do. */
async function anchorAt(satoshisPerKilobyte) {
  const { encodeAnchorScript } = await load('contracts/dist/src/index.js');
  const { signAnchor } = await load('services/anchoring/dist/src/transaction/sign-anchor.js');
  const hash = new Uint8Array(32);
  const script = encodeAnchorScript({ logId: hash, batch: 0, headerHash: hash, logRoot: hash });
  const common = { script, privateKey: KEY, policy: { satoshis: satoshisPerKilobyte, bytes: 1_000 } };
  const first = await signAnchor({ ...common, spend: [{ rawTx: payment(), outputIndex: 0, satoshis: 1e6 }] });
  const seal = { rawTx: first.rawTx, outputIndex: 1, satoshis: first.funds };
  const { rawTx, fee } = await signAnchor({ ...common, spend: [seal] });
  return { fee, bytes: rawTx.length / 2 };
}

/** Returns a payment to the key; its origin does not matter here. */
function payment() {
  const tx = new Transaction();
  tx.addOutput({
    lockingScript: new P2PKH().lock(PrivateKey.fromHex(KEY).toPublicKey().toHash()),
    satoshis: 1e6,
  });
  return tx.toHex();
}

const grouped = (number) => number.toLocaleString('en-US');

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { values } = parseArgs({ options: { rate: { type: 'string' }, check: { type: 'boolean' } } });
  if (values.rate === undefined) await keepPage(join(root, 'README.md'), withCosts);
  else if (Number(values.rate) > 0) process.stdout.write(`${await costTable([Number(values.rate)])}\n`);
  else throw new Error('--rate is a number of satoshis above 0');
}
