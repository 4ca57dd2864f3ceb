import { FIRST_OWN_BLOCK, knownBlockOf, type KnownBlock } from '@sentinel-node/contracts';
import type { HeadersFrom } from '../ledger/headers/open-source.ts';
import type { ConfigProblem } from './config-error.ts';
import { isLoopback } from './loopback.ts';
import type { Parser } from './parsers.ts';
import type { Values } from './variables.ts';

/** The settings of `createBlockHeaders`. */
export interface HeadersConfig {
  readonly network: 'main' | 'test' | 'regtest';
  readonly checkpoint: KnownBlock;
  readonly from: HeadersFrom;
}

/** Paths with these endings name a file of headers; any other value is the URL of a block headers service. */
const FILE_NAME = /\.(bin|headers)$/;
const PLAIN_HTTP = 'plain HTTP leads to this machine only: give https://, or a file';

/** Accepts a file, or an http(s) URL. */
export const headersSource: Parser<string> = (text) => {
  if (!text.includes('://')) return { value: text };
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return { problem: 'give a file, or a URL that begins with https:// or http://' };
  const { hostname, protocol, search, username } = new URL(text);
  if (username !== '' || search !== '') return { problem: 'give a URL without user and query' };
  return protocol === 'https:' || isLoopback(hostname) ? { value: text } : { problem: PLAIN_HTTP };
};

/** Accepts `height:hash`. */
export const knownBlock: Parser<KnownBlock> = (text) => {
  const [, height, hash] = /^(\d{1,9}):([0-9a-f]{64})$/.exec(text) ?? [];
  return height === undefined || hash === undefined
    ? { problem: 'give height:hash, the hash as 64 lower-case hex digits as explorers show it' }
    : { value: { height: Number(height), hash } };
};

/**
 * Returns the settings; undefined when no headers are requested.
 * @param values must have no problems with each other (`headersProblems`)
 */
export function headersConfig(values: Values): HeadersConfig | undefined {
  const { headers, headersCheckpoint, headersKey: key, network = 'main' } = values;
  const checkpoint = headersCheckpoint ?? knownBlockOf(network);
  if (headers === undefined || checkpoint === undefined) return undefined;
  return { network, checkpoint, from: fromOf(headers, key) };
}

function fromOf(given: string, key: string | undefined): HeadersFrom {
  if (!given.includes('://')) return { kind: 'file', path: given };
  return FILE_NAME.test(new URL(given).pathname)
    ? { kind: 'file-url', url: given }
    : { kind: 'service', url: given, key };
}

export function headersProblems(values: Partial<Values>, given: ReadonlySet<string>): ConfigProblem[] {
  const { headersCheckpoint, network = 'main' } = values;
  const variable = 'SENTINEL_HEADERS_CHECKPOINT';
  if (!given.has('SENTINEL_HEADERS'))
    return given.has(variable) ? [{ variable, message: 'says nothing without SENTINEL_HEADERS' }] : [];
  // A wrong value has its own problem already.
  if (!given.has(variable) && knownBlockOf(network) === undefined)
    return [{ variable, message: `is needed: this software knows no block of the network ${network}` }];
  if (network === 'main' && headersCheckpoint !== undefined && headersCheckpoint.height < FIRST_OWN_BLOCK)
    return [
      {
        variable,
        message: `give block ${FIRST_OWN_BLOCK} or a later one: earlier ones are of other chains too`,
      },
    ];
  return [];
}
