import { isDeepStrictEqual } from 'node:util';
import type { CollectionSpec, Document, DocumentStore } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';

/** Compares two stores document by document, both in the order of ids. @returns documents compared */
export async function compareViews(
  live: DocumentStore,
  rebuilt: DocumentStore,
  collections: readonly CollectionSpec[],
  findings: Findings,
): Promise<number> {
  let compared = 0;
  for (const { name } of collections) {
    const left = documents(live, name);
    const right = documents(rebuilt, name);
    let a = await left.next();
    let b = await right.next();
    while (a.done !== true || b.done !== true) {
      compared += 1;
      const order = a.done === true ? 1 : b.done === true ? -1 : compareIds(a.value.id, b.value.id);
      if (order < 0)
        findings.add('views', `${name} ${(a.value as Document).id}: no record of the log gives it`);
      if (order > 0) findings.add('views', `${name} ${(b.value as Document).id}: missing, the log gives it`);
      if (order === 0) compareDocuments(name, a.value as Document, b.value as Document, findings);
      if (order <= 0) a = await left.next();
      if (order >= 0) b = await right.next();
    }
  }
  return compared;
}

async function* documents(store: DocumentStore, collection: string): AsyncGenerator<Document, undefined> {
  for await (const page of store.scan(collection)) yield* page;
  return undefined;
}

/** As stores order ids: by code point, not by locale. */
const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareDocuments(collection: string, live: Document, rebuilt: Document, findings: Findings): void {
  if (isDeepStrictEqual(live, rebuilt)) return;
  const fields = new Set([...Object.keys(live), ...Object.keys(rebuilt)]);
  const differing = [...fields].filter((field) => !isDeepStrictEqual(live[field], rebuilt[field]));
  findings.add('views', `${collection} ${live.id}: ${differing.join(', ')} differ from what the log gives`);
}
