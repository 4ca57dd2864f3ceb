import { parseOptions } from '@sentinel-node/agent/arguments';
import {
  compareGenesis,
  isSpendable,
  isUnmined,
  keyOf,
  publicKeyHashOf,
  readWitnessPolicy,
  storedBatch,
  type ComparedGenesis,
} from '@sentinel-node/anchoring';
import {
  defaultLogOrigin,
  formatPolicy,
  logIdOf,
  noteVerifierKey,
  toHex,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { LOG_KEY_LOST, withDocuments, type Reading } from '../operator/read.ts';
import { OPTIONS, runCommand } from '../operator/run.ts';

const HELP = `usage: sentinel trust [--data DIR] [--vkey]

Prints the trust file of this log: origin, public key (also as a vkey), network, the transaction of batch 0, and the
policy of its witnesses, if SENTINEL_WITNESS_POLICY names one. Whoever checks proofs
(sentinel verify) needs it, and has to have it from you by another way than the proofs: print it, publish it, and never
change it. It holds no secret. The key is compared with the master secret (SENTINEL_SECRET, or the one in the data folder).
Without it the key is as the store says, and a warning says so. The transaction of batch 0 is compared with its batch, its
signatures, the transaction of batch 1, which spends it, and, where it is at hand, the key that signs anchors
(SENTINEL_FUNDING_KEY, on the development ledger the master secret); a contradiction is refused. With neither batch 1 nor the
key a warning says that nothing was compared.

Works beside a running server, on the embedded store too. SENTINEL_LOG_ORIGIN and
SENTINEL_WITNESS_POLICY have to be what the services have. Prints no trust file while the first transaction is not on the
network, and a warning while it is in no block: until then another transaction may replace it.

  --vkey           prints the vkey alone, which monitors and witnesses of C2SP logs take; there before the first anchor
  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --help           this text

Exit code 0: done; 1: it could not be done, which is one line; 2: wrong usage.
`;

/** Runs `sentinel trust`. @returns the exit code */
export async function runTrust(args: readonly string[]): Promise<number> {
  const { data, help } = OPTIONS;
  const { values } = parseOptions({ args: [...args], options: { data, help, vkey: { type: 'boolean' } } });
  return runCommand({ name: 'trust', help: HELP }, values, () =>
    withDocuments({ command: 'trust', dataDir: values.data }, async (operation) => {
      if (values.vkey === true) return printVkey(operation);
      return printTrust(operation);
    }),
  );
}

/** Says so when nothing but the store says that the key is the log's. */
function warnOfKey({ masterSecret, writeLine }: Reading): void {
  if (masterSecret === undefined)
    writeLine(
      'the key was not compared with the master secret, and whoever may write the database can put another one there: set SENTINEL_SECRET as the services have it',
    );
}

/** Says so when nothing but the store says that the first transaction, and its network, are the log's. */
function warnOfGenesis(
  { isByKey, isFollowed }: ComparedGenesis,
  { config, writeLine }: Reading,
  network: string,
): void {
  if (!isFollowed && !isByKey)
    writeLine(
      'no later anchor spends the first transaction yet, so that nothing but the store says that it is the first: set SENTINEL_FUNDING_KEY (on the development ledger SENTINEL_SECRET) as the services have it, or give the trust file out once batch 1 is there',
    );
  const configured = networkOf(config);
  if (network !== configured)
    writeLine(
      `the network ${network} was not compared: it is as the store says, and ${configured} is configured here`,
    );
}

const networkOf = ({ ledger, network }: Reading['config']): string =>
  ledger.kind === 'dev' ? 'dev' : network;

/** Returns the hash of the key that signs anchors, hex; undefined where the key is not at hand, or is of another ledger. */
function keyHashOf({ config, masterSecret }: Reading, network: string): string | undefined {
  const { ledger } = config;
  const isAtHand = ledger.kind === 'arc' ? ledger.fundingKey !== '' : masterSecret !== undefined;
  // The key of a real ledger does not come from the master secret.
  return isAtHand && network === networkOf(config)
    ? publicKeyHashOf(keyOf(config, masterSecret ?? ''))
    : undefined;
}

function printVkey(operation: Reading): number {
  const { config, publicKey, writeLine } = operation;
  if (publicKey === undefined) {
    writeLine('no service has started on this store yet: the log has no key');
    return 1;
  }
  warnOfKey(operation);
  process.stdout.write(`${noteVerifierKey(originOf(config, publicKey), publicKey)}\n`);
  return 0;
}

const originOf = ({ logOrigin }: Reading['config'], publicKey: Uint8Array): string =>
  logOrigin ?? defaultLogOrigin(logIdOf(publicKey));

/** Prints the trust file once its first transaction is on the network: until then the operator may sign another. */
async function printTrust(operation: Reading): Promise<number> {
  const { documents, publicKey, writeLine } = operation;
  const { cut, document: genesis } = await storedBatch(documents, 0);
  const transaction = genesis?.record.transaction ?? null;
  if (genesis !== undefined && publicKey === undefined) {
    writeLine(LOG_KEY_LOST);
    return 1;
  }
  if (genesis === undefined || transaction === null || publicKey === undefined) {
    writeLine('nothing is anchored yet: the first transaction is part of the trust file');
    return 1;
  }
  if (!isSpendable(transaction)) {
    writeLine(
      `the first transaction, which is part of the trust file, is not on the network yet, and another may replace it (${transaction.status}): see sentinel anchors`,
    );
    return 1;
  }
  const compared = compareGenesis({
    logId: logIdOf(publicKey),
    first: { cut, document: genesis },
    second: await storedBatch(documents, 1),
    keyHash: keyHashOf(operation, genesis.network),
  });
  if (compared.difference !== undefined) {
    writeLine(
      `what the store says of the first transaction contradicts itself, and no checker may trust it: ${compared.difference}. Run sentinel audit`,
    );
    return 1;
  }
  if (isUnmined(transaction))
    writeLine('the first transaction is in no block yet: give the trust file out once batch 0 is MINED');
  warnOfKey(operation);
  warnOfGenesis(compared, operation, genesis.network);
  const trust = trustOf(operation, publicKey, genesis.network, transaction.txid);
  process.stdout.write(`${JSON.stringify(trust, null, 2)}\n`);
  return 0;
}

function trustOf(
  { config }: Reading,
  publicKey: Uint8Array,
  network: string,
  genesisTxid: string,
): ProofTrust {
  const origin = originOf(config, publicKey);
  const policy = readWitnessPolicy(config.witnessPolicy, origin, publicKey);
  return {
    origin,
    publicKey: toHex(publicKey),
    vkey: noteVerifierKey(origin, publicKey),
    network,
    genesisTxid,
    ...(policy !== undefined && { policy: formatPolicy(policy) }),
  };
}
