import { BLOCK_HEADER_BYTES, fromHex, toHex } from '@sentinel-node/contracts';
import { collectionOf, type DocumentStore } from '../../ports/document-store.ts';
import type { BestChain, OfferProblem } from './best-chain.ts';

/** Headers of public blocks, checked before they are written and again when they are read. */
export const BLOCK_HEADERS_COLLECTION = {
  name: collectionOf<HeadersDocument>('block_headers'),
  indexes: [],
} as const;
const { name } = BLOCK_HEADERS_COLLECTION;

/** About a day of blocks, 23 KB of hex. Each new block rewrites one such document. */
export const HEADERS_PER_DOCUMENT = 144;
/** Documents in one write. */
const WRITE_DOCUMENTS = 50;

interface HeadersDocument {
  /** Number of the document, with leading zeros: heights [number × 144, …) from the checkpoint on. */
  readonly id: string;
  readonly rev: number;
  readonly network: string;
  /** Height of the first header. */
  readonly first: number;
  /** Hex. */
  readonly headers: string;
}

/** Describes invalid stored headers; those before them stay known, those after them are fetched again. */
export interface StoredProblem {
  readonly problem: OfferProblem;
  readonly height: number;
}

const numberOf = (height: number): number => Math.floor(height / HEADERS_PER_DOCUMENT);
const idOf = (number: number): string => String(number).padStart(10, '0');

/** Keeps a chain in a store. After a crash between two writes, the headers that still form a chain are loaded. */
export class StoredHeaders {
  readonly #store: Pick<DocumentStore, 'scan' | 'bulkUpsert' | 'remove'>;
  #rev = 0;
  /** Ids in the store. @boundedBy one for 144 headers of the chain */
  readonly #ids = new Set<string>();

  constructor(store: Pick<DocumentStore, 'scan' | 'bulkUpsert' | 'remove'>) {
    this.#store = store;
  }

  /** Fills an empty chain with the stored headers, with the same checks as for headers of a source. */
  async load(chain: BestChain): Promise<StoredProblem | undefined> {
    let problem: StoredProblem | undefined;
    for await (const page of this.#store.scan(name)) {
      for (const document of page) {
        this.#ids.add(document.id);
        this.#rev = Math.max(this.#rev, document.rev);
        problem ??= offerStored(chain, document);
        // Checking a year of headers takes seconds: other work of the process continues between documents.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return problem;
  }

  /** Writes new headers from a height on, and removes those above the chain. */
  async save(chain: BestChain, from: number): Promise<void> {
    const last = numberOf(chain.height);
    this.#rev += 1;
    for (let number = numberOf(from); number <= last; number += WRITE_DOCUMENTS) {
      const count = Math.min(WRITE_DOCUMENTS, last - number + 1);
      const documents = Array.from({ length: count }, (_, at) => this.#documentOf(chain, number + at));
      await this.#store.bulkUpsert(name, documents);
      for (const { id } of documents) this.#ids.add(id);
    }
    const low = idOf(numberOf(chain.checkpoint.height));
    const gone = [...this.#ids].filter((id) => id > idOf(last) || id < low);
    if (gone.length > 0) await this.#store.remove(name, gone);
    for (const id of gone) this.#ids.delete(id);
  }

  #documentOf(chain: BestChain, number: number): HeadersDocument {
    const first = Math.max(chain.checkpoint.height, number * HEADERS_PER_DOCUMENT);
    const last = Math.min(chain.height, (number + 1) * HEADERS_PER_DOCUMENT - 1);
    const headers = toHex(chain.range(first, last));
    return { id: idOf(number), rev: this.#rev, network: chain.network, first, headers };
  }
}

function offerStored(chain: BestChain, document: HeadersDocument): StoredProblem | undefined {
  const { first, headers, network } = document;
  if (network !== chain.network) return { problem: 'OTHER_CHAIN', height: first };
  if (!/^([0-9a-f]{2})*$/.test(headers) || headers.length % (2 * BLOCK_HEADER_BYTES) !== 0)
    return { problem: 'NOT_HEADERS', height: first };
  const offered = chain.offer(first, fromHex(headers));
  return offered.outcome === 'REFUSED' ? offered : undefined;
}

/** Fills an empty chain like `StoredHeaders.load`, by ids alone, for a reader that cannot scan. */
export async function readStoredHeaders(
  documents: Pick<DocumentStore, 'get'>,
  chain: BestChain,
): Promise<StoredProblem | undefined> {
  for (let number = numberOf(chain.checkpoint.height); ; number++) {
    const document = await documents.get(name, idOf(number));
    const problem = document && offerStored(chain, document);
    if (document === undefined || problem !== undefined) return problem;
  }
}
