import { readFileSync } from 'node:fs';
import {
  messageOf,
  misfitOf,
  parsePolicy,
  POLICY_TOO_LONG,
  TRUST_LIMITS,
  trustPolicyOf,
  type WitnessPolicy,
} from '@sentinel-node/contracts';
import { ConfigError } from '@sentinel-node/platform';

/** The members of a trust file about witnesses. */
const TRUST_POLICY_BYTES = TRUST_LIMITS.documentBytes - 4_096;

/**
 * Reads the policy in the file of `SENTINEL_WITNESS_POLICY`; returns undefined without a file. The policy is for this
 * log, each of its witnesses has a URL, and a trust file can hold it.
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
  const text = trustPolicyOf(policy);
  if (text === undefined || Buffer.byteLength(JSON.stringify(text)) > TRUST_POLICY_BYTES)
    throw unusable(
      `${path} is too long for a trust file: ${POLICY_TOO_LONG}, ${TRUST_POLICY_BYTES} bytes of JSON`,
    );
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
