import { parseOptions } from '@sentinel-node/agent/arguments';
import { batchId, isRefused, OWN_COLLECTIONS, readWitnessPolicy } from '@sentinel-node/anchoring';
import {
  defaultLogOrigin,
  formatPolicy,
  logIdOf,
  noteVerifierKey,
  toHex,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { withDocuments, type Reading } from '../operator/read.ts';
import { OPTIONS, runCommand } from '../operator/run.ts';

const HELP = `usage: sentinel trust [--data DIR] [--vkey]

Prints the trust file of this log: origin, public key (also as a vkey), network, the transaction of batch 0, and the
policy of its witnesses, if SENTINEL_WITNESS_POLICY names one. Whoever checks proofs
(sentinel verify) needs it, and has to have it from you by another way than the proofs: print it, publish it, and never
change it. It holds no secret.

Works beside a running server, on the embedded store too. SENTINEL_LOG_ORIGIN and
SENTINEL_WITNESS_POLICY have to be what the services have.

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
      const trust = await trustOf(operation);
      if (trust === undefined) {
        operation.writeLine('nothing is anchored yet: the first transaction is part of the trust file');
        return 1;
      }
      process.stdout.write(`${JSON.stringify(trust, null, 2)}\n`);
      return 0;
    }),
  );
}

function printVkey({ config, publicKey, writeLine }: Reading): number {
  if (publicKey === undefined) {
    writeLine('no service has started on this store yet: the log has no key');
    return 1;
  }
  process.stdout.write(`${noteVerifierKey(originOf(config, publicKey), publicKey)}\n`);
  return 0;
}

const originOf = ({ logOrigin }: Reading['config'], publicKey: Uint8Array): string =>
  logOrigin ?? defaultLogOrigin(logIdOf(publicKey));

/**
 * Returns the trust file; undefined while batch 0 has no transaction, or a refused one, which may be
 * replaced.
 */
async function trustOf({ config, documents, publicKey }: Reading): Promise<ProofTrust | undefined> {
  const genesis = await documents.get(OWN_COLLECTIONS.transactions.name, batchId(0));
  if (genesis === undefined || publicKey === undefined) return undefined;
  const { network, record } = genesis;
  const { transaction } = record;
  if (transaction === null || isRefused(genesis)) return undefined;
  const origin = originOf(config, publicKey);
  const policy = readWitnessPolicy(config.witnessPolicy, origin, publicKey);
  return {
    origin,
    publicKey: toHex(publicKey),
    vkey: noteVerifierKey(origin, publicKey),
    network,
    genesisTxid: transaction.txid,
    ...(policy !== undefined && { policy: formatPolicy(policy) }),
  };
}
