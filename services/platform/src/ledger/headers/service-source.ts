/** Headers from a block headers service (github.com/bsv-blockchain/block-headers-service c4ec3bea, transports/http/endpoints/api). */
import { concatBytes, fromHex, parseBlockHeader, shownHash } from '@sentinel-node/contracts';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { LedgerUnavailableError } from '../../ports/errors.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { HEADER_LIMITS } from './limits.ts';
import { HeadersUnreadableError, shownUrl, type HeaderSource } from './source.ts';

const uint32 = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const HeaderSchema = Type.Object({
  version: Type.Integer({ minimum: -0x8000_0000, maximum: 0x7fff_ffff }),
  prevBlockHash: hash,
  merkleRoot: hash,
  creationTimestamp: uint32,
  difficultyTarget: uint32,
  nonce: uint32,
});
const HeadersSchema = Type.Array(HeaderSchema);
const TipSchema = Type.Object({ height: Type.Integer({ minimum: 0, maximum: 0x7fff_ffff }) });
const OK = 200;

export interface ServiceSourceOptions {
  /** Base of the service, without `/api/v1`. */
  readonly url: string;
  /** Bearer token. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

export function serviceSource({ url, key, signal }: ServiceSourceOptions): HeaderSource {
  const base = `${url.replace(/\/+$/, '')}/api/v1/chain`;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const get = async (path: string): Promise<unknown> => {
    const { answerBytes: maxBytes, answerMs: timeoutMs } = HEADER_LIMITS;
    const answer = await boundedFetch(`${base}${path}`, { headers, maxBytes, timeoutMs, signal });
    if (answer.status !== OK)
      throw new LedgerUnavailableError(`${shownUrl(url)} answers with ${answer.status}`);
    try {
      return JSON.parse(Buffer.from(answer.bytes).toString('utf8')) as unknown;
    } catch (cause) {
      throw new HeadersUnreadableError(`${shownUrl(url)} does not answer with JSON`, { cause });
    }
  };
  let newest = -1;
  return {
    name: shownUrl(url),
    height: async () => {
      const tip = await get('/tip/longest');
      if (Check(TipSchema, tip)) return (newest = tip.height);
      throw new HeadersUnreadableError(`${shownUrl(url)} gives no height of its tip`);
    },
    headers: async (from, count) => {
      const most = Math.min(count, HEADER_LIMITS.pageHeaders);
      const found = await get(`/header/byHeight?height=${from}&count=${most}`);
      if (!Check(HeadersSchema, found)) throw new HeadersUnreadableError(`${shownUrl(url)} gives no headers`);
      if (found.length === 0 && from <= newest)
        throw new LedgerUnavailableError(
          `${shownUrl(url)} names block ${newest} as its newest, and gives no header from block ${from} on`,
        );
      return concatBytes(...bestPath(found.map(headerBytes)).slice(0, most));
    },
  };
}

function headerBytes(header: Static<typeof HeaderSchema>): Uint8Array {
  const bytes = new Uint8Array(80);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, header.version, true);
  bytes.set(fromHex(header.prevBlockHash).reverse(), 4);
  bytes.set(fromHex(header.merkleRoot).reverse(), 36);
  view.setUint32(68, header.creationTimestamp, true);
  view.setUint32(72, header.difficultyTarget, true);
  view.setUint32(76, header.nonce, true);
  return bytes;
}

interface Node {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly previous: string;
}

/** Returns the longest path: the service returns all headers of these heights, in any order, including stale ones. */
export function bestPath(headers: readonly Uint8Array[]): Uint8Array[] {
  const nodes = new Map(headers.map((bytes) => nodeOf(bytes)).map((node) => [node.hash, node]));
  const depths = new Map<string, number>();
  for (const node of nodes.values()) measure(node, nodes, depths);
  const deepest = Math.max(0, ...depths.values());
  const ends = [...nodes.values()].filter(({ hash: of }) => depths.get(of) === deepest);
  const [first = [], ...others] = ends.map((end) => pathTo(end, nodes));
  // For several ends of the same length, only the shared part is certain; the rest is left for the next answer.
  const shared = first.findIndex((node, at) => others.some((path) => path[at] !== node));
  return (shared < 0 ? first : first.slice(0, shared)).map(({ bytes }) => bytes);
}

function nodeOf(bytes: Uint8Array): Node {
  const header = parseBlockHeader(bytes)!;
  return { bytes, hash: shownHash(header.hash), previous: shownHash(header.previous) };
}

function pathTo(end: Node, nodes: ReadonlyMap<string, Node>): Node[] {
  const path: Node[] = [];
  for (let node: Node | undefined = end; node !== undefined; node = nodes.get(node.previous)) path.push(node);
  return path.reverse();
}

/** Records the length of the path that ends at each header. Hashes are computed here, so no path can be a cycle. */
function measure(node: Node, nodes: ReadonlyMap<string, Node>, depths: Map<string, number>): void {
  const unknown: Node[] = [];
  let at: Node | undefined = node;
  while (at !== undefined && !depths.has(at.hash)) {
    unknown.push(at);
    at = nodes.get(at.previous);
  }
  let depth = at === undefined ? 0 : depths.get(at.hash)!;
  for (const { hash: of } of unknown.reverse()) depths.set(of, ++depth);
}
