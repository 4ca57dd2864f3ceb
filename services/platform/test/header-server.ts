/** A block headers service with honest answers and several lies. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { parseBlockHeader, shownHash, toHex } from '@sentinel-node/contracts';

export interface HeaderServer {
  readonly url: string;
  /** Headers of its best chain, the first at height `first`. */
  best: Uint8Array;
  first: number;
  /** Further headers, returned together with those of their height. */
  stale: { readonly height: number; readonly header: Uint8Array }[];
  /** Height of the newest block by its own word; undefined: that of `best`. */
  claimed: number | undefined;
  /** Replaces every answer. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Requested paths with queries. */
  readonly asked: string[];
  readonly tokens: (string | undefined)[];
}

export async function startHeaderServer(t: Test, best: Uint8Array, first: number): Promise<HeaderServer> {
  const server = createServer((request, response) => {
    asking.asked.push(request.url ?? '');
    asking.tokens.push(request.headers.authorization);
    if (asking.instead !== undefined) asking.instead(request, response);
    else
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(asking, request.url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const none = { claimed: undefined, instead: undefined };
  const asking: HeaderServer = { url, best, first, stale: [], ...none, asked: [], tokens: [] };
  return asking;
}

function answer({ best, claimed, first, stale }: HeaderServer, path = ''): unknown {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const end = first + best.length / 80 - 1;
  if (pathname === '/api/v1/chain/tip/longest')
    return { header: shown(best.slice(-80)), state: 'LONGEST_CHAIN', chainWork: 1, height: claimed ?? end };
  const from = Number(searchParams.get('height'));
  const to = Math.min(end, from + Number(searchParams.get('count')) - 1);
  const own = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) =>
    headerAt(best, from + at - first),
  );
  const beside = stale.filter(({ height }) => height >= from && height <= to).map(({ header }) => header);
  // The service promises no order.
  return [...beside, ...own].reverse().map(shown);
}

const headerAt = (headers: Uint8Array, index: number): Uint8Array =>
  headers.slice(index * 80, index * 80 + 80);

function shown(bytes: Uint8Array): object {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const { bits, hash, previous, root, time } = parseBlockHeader(bytes)!;
  return {
    hash: shownHash(hash),
    version: view.getInt32(0, true),
    prevBlockHash: shownHash(previous),
    merkleRoot: toHex(root.slice().reverse()),
    creationTimestamp: time,
    difficultyTarget: bits,
    nonce: view.getUint32(76, true),
    work: '2',
  };
}
