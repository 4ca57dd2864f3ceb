import { readFileSync } from 'node:fs';
import { misfitOf, parsePolicy, type WitnessPolicy, messageOf } from '@sentinel-node/contracts';
import { ConfigError } from '@sentinel-node/platform';

/**
 * Reads the policy in the file of `SENTINEL_WITNESS_POLICY`; returns undefined without a file. The policy is for this
 * log, and each of its witnesses has a URL.
 * @throws ConfigError
 */
export function readWitnessPolicy(
  path: string | undefined,
  origin: string,
  publicKey: Uint8Array,
): WitnessPolicy | undefined {
  if (path === undefined) return undefined;
  const read = parsePolicy(textOf(path));
  if ('problem' in read) throw unusable(`${path}${read.line === 0 ? '' : `:${read.line}`} ${read.problem}`);
  const { policy } = read;
  const misfit = misfitOf(policy, origin, publicKey);
  if (misfit !== undefined) throw unusable(`${path}: ${misfit} (its key: sentinel trust --vkey)`);
  // A key id has 4 bytes that its owner can choose, so the witness's line could be taken for the log's own.
  if (policy.witnesses.some(({ key }) => key.name === origin))
    throw unusable(`${path}: a witness has the name of the log in its key`);
  const away = policy.witnesses.find(({ url }) => url === undefined);
  if (away !== undefined) throw unusable(`${path}: the witness ${away.name} has no URL`);
  return policy;
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    throw unusable(`${path} cannot be read: ${messageOf(error)}`);
  }
}

const unusable = (message: string): ConfigError =>
  new ConfigError([{ variable: 'SENTINEL_WITNESS_POLICY', message }]);
